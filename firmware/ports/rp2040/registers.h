/* Registers of the RP2040 that the firmware and the test images use, under the datasheet's names (RP2040 datasheet,
 * section of each block). Only what an image needs stands here; offsets are folded into the addresses. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define REGISTER8(address) (*(volatile uint8_t *)(uintptr_t)(address))

/* Offset of the alias that clears the bits written, of every APB and AHB-Lite register (2.1.2). */
#define CLEAR_ALIAS 0x3000u
/* The same for those that set them. */
#define SET_ALIAS 0x2000u

/* Memory (2.2) */
#define XIP_BASE 0x10000000u
#define XIP_NOCACHE_NOALLOC_BASE 0x13000000u

/* SSI (4.10.13) */
#define SSI_BASE 0x18000000u
#define SSI_CTRLR0 REGISTER(SSI_BASE + 0x00)
#define SSI_CTRLR1 REGISTER(SSI_BASE + 0x04)
#define SSI_SSIENR REGISTER(SSI_BASE + 0x08)
#define SSI_BAUDR REGISTER(SSI_BASE + 0x14)
#define SSI_SR_BUSY (1u << 0)
#define SSI_SR_TFE (1u << 2)
#define SSI_SPI_CTRLR0 REGISTER(SSI_BASE + 0xf4)

/* CLOCKS (2.15.7) */
#define CLOCKS_BASE 0x40008000u
#define CLK_GPOUT0_CTRL REGISTER(CLOCKS_BASE + 0x00)
#define CLK_GPOUT0_DIV REGISTER(CLOCKS_BASE + 0x04)
#define CLK_GPOUT_CTRL_DC50 (1u << 12)
#define CLK_GPOUT_CTRL_ENABLE (1u << 11)
#define CLK_GPOUT_CTRL_CLK_SYS (6u << 5)
#define CLK_REF_CTRL REGISTER(CLOCKS_BASE + 0x30)
#define CLK_REF_SELECTED REGISTER(CLOCKS_BASE + 0x38)
#define CLK_SYS_CTRL REGISTER(CLOCKS_BASE + 0x3c)
#define CLK_SYS_SELECTED REGISTER(CLOCKS_BASE + 0x44)
#define CLK_PERI_CTRL REGISTER(CLOCKS_BASE + 0x48)
#define CLK_USB_CTRL REGISTER(CLOCKS_BASE + 0x54)
#define CLK_ADC_CTRL REGISTER(CLOCKS_BASE + 0x60)

/* RESETS (2.14.3) */
#define RESETS_BASE 0x4000c000u
#define RESETS_RESET_SET REGISTER(RESETS_BASE + SET_ALIAS)
#define RESETS_RESET_CLEAR REGISTER(RESETS_BASE + CLEAR_ALIAS)
#define RESETS_RESET_DONE REGISTER(RESETS_BASE + 0x8)
#define RESET_ADC (1u << 0)
#define RESET_DMA (1u << 2)
#define RESET_IO_BANK0 (1u << 5)
#define RESET_PADS_BANK0 (1u << 8)
#define RESET_PIO0 (1u << 10)
#define RESET_PIO1 (1u << 11)
#define RESET_PLL_SYS (1u << 12)
#define RESET_PLL_USB (1u << 13)
#define RESET_PWM (1u << 14)
#define RESET_SPI0 (1u << 16)
#define RESET_TIMER (1u << 21)
#define RESET_UART0 (1u << 22)
#define RESET_UART1 (1u << 23)
#define RESET_USBCTRL (1u << 24)

/* IO_BANK0 (2.19.6.1), pads (2.19.6.3, 2.19.6.4) */
#define IO_BANK0_BASE 0x40014000u
#define GPIO_CTRL(pin) REGISTER(IO_BANK0_BASE + 8u * (pin) + 4u)
#define IO_BANK0_INTR(pin) REGISTER(IO_BANK0_BASE + 0xf0 + 4u * ((pin) / 8u))
#define IO_BANK0_PROC0_INTE(pin) REGISTER(IO_BANK0_BASE + 0x100 + 4u * ((pin) / 8u))
#define IO_BANK0_PROC0_INTE_SET(pin) REGISTER(IO_BANK0_BASE + SET_ALIAS + 0x100 + 4u * ((pin) / 8u))
#define IO_BANK0_PROC0_INTE_CLEAR(pin) REGISTER(IO_BANK0_BASE + CLEAR_ALIAS + 0x100 + 4u * ((pin) / 8u))
#define IO_BANK0_PROC0_INTS(pin) REGISTER(IO_BANK0_BASE + 0x120 + 4u * ((pin) / 8u))
#define EDGE_LOW(pin) (4u << (4u * ((pin) % 8u)))
#define EDGE_HIGH(pin) (8u << (4u * ((pin) % 8u)))
#define FUNCTION_SPI 1u
#define FUNCTION_UART 2u
#define FUNCTION_PWM 4u
#define FUNCTION_SIO 5u
#define FUNCTION_PIO0 6u
#define FUNCTION_PIO1 7u
#define FUNCTION_CLOCK 8u
#define FUNCTION_NULL 31u
#define PADS_BANK0_BASE 0x4001c000u
#define PADS_GPIO(pin) REGISTER(PADS_BANK0_BASE + 4u + 4u * (pin))
#define PAD_IE (1u << 6)
#define PAD_DRIVE_4MA (1u << 4)
#define PAD_PUE (1u << 3)
#define PAD_PDE (1u << 2)
#define PAD_SCHMITT (1u << 1)
#define PADS_QSPI_BASE 0x40020000u
#define PADS_QSPI_SCLK REGISTER(PADS_QSPI_BASE + 0x04)

/* XOSC (2.16.7), PLL (2.18.4) */
#define XOSC_BASE 0x40024000u
#define XOSC_CTRL REGISTER(XOSC_BASE + 0x0)
#define XOSC_STATUS REGISTER(XOSC_BASE + 0x4)
#define XOSC_STATUS_STABLE (1u << 31)
#define XOSC_STARTUP REGISTER(XOSC_BASE + 0xc)
#define PLL_SYS_BASE 0x40028000u
#define PLL_USB_BASE 0x4002c000u
#define PLL_CS(base) REGISTER((base) + 0x0)
#define PLL_CS_LOCK (1u << 31)
#define PLL_PWR_CLEAR(base) REGISTER((base) + 0x4 + CLEAR_ALIAS)
#define PLL_PWR_PD (1u << 0)
#define PLL_PWR_POSTDIVPD (1u << 3)
#define PLL_PWR_VCOPD (1u << 5)
#define PLL_FBDIV_INT(base) REGISTER((base) + 0x8)
#define PLL_PRIM(base) REGISTER((base) + 0xc)

/* UART (4.2.8) */
#define UART0_BASE 0x40034000u
#define UART1_BASE 0x40038000u
#define UART_DR(base) REGISTER((base) + 0x00)
#define UART_FR(base) REGISTER((base) + 0x18)
#define UART_FR_BUSY (1u << 3)
#define UART_FR_RXFE (1u << 4)
#define UART_FR_TXFF (1u << 5)
#define UART_IBRD(base) REGISTER((base) + 0x24)
#define UART_FBRD(base) REGISTER((base) + 0x28)
#define UART_LCR_H(base) REGISTER((base) + 0x2c)
#define UART_CR(base) REGISTER((base) + 0x30)
#define UART_IFLS(base) REGISTER((base) + 0x34)
#define UART_IMSC(base) REGISTER((base) + 0x38)
#define UART_INTERRUPT_RX (1u << 4)
#define UART_INTERRUPT_TX (1u << 5)
#define UART_INTERRUPT_RX_TIMEOUT (1u << 6)

/* SPI (4.4.4) */
#define SPI0_BASE 0x4003c000u
#define SPI0_SSPCR0 REGISTER(SPI0_BASE + 0x00)
#define SPI0_SSPCR1 REGISTER(SPI0_BASE + 0x04)
#define SSPCR1_LBM (1u << 0)
#define SSPCR1_SSE (1u << 1)
#define SPI0_SSPDR REGISTER(SPI0_BASE + 0x08)
#define SPI0_SSPSR REGISTER(SPI0_BASE + 0x0c)
#define SSPSR_TNF (1u << 1)
#define SSPSR_RNE (1u << 2)
#define SSPSR_BSY (1u << 4)
#define SPI0_SSPCPSR REGISTER(SPI0_BASE + 0x10)
#define SPI0_SSPDMACR REGISTER(SPI0_BASE + 0x24)

/* ADC (4.9.6) */
#define ADC_BASE 0x4004c000u
#define ADC_CS REGISTER(ADC_BASE + 0x00)
#define ADC_CS_EN (1u << 0)
#define ADC_CS_TS_EN (1u << 1)
#define ADC_CS_START_ONCE (1u << 2)
#define ADC_CS_START_MANY (1u << 3)
#define ADC_CS_READY (1u << 8)
#define ADC_RESULT REGISTER(ADC_BASE + 0x04)
#define ADC_FCS REGISTER(ADC_BASE + 0x08)
#define ADC_FIFO REGISTER(ADC_BASE + 0x0c)
#define ADC_DIV REGISTER(ADC_BASE + 0x10)

/* PWM (4.5.3) */
#define PWM_BASE 0x40050000u
#define PWM_CSR(slice) REGISTER(PWM_BASE + 0x14u * (slice) + 0x00)
#define PWM_DIV(slice) REGISTER(PWM_BASE + 0x14u * (slice) + 0x04)
#define PWM_CTR(slice) REGISTER(PWM_BASE + 0x14u * (slice) + 0x08)
#define PWM_CC(slice) REGISTER(PWM_BASE + 0x14u * (slice) + 0x0c)
#define PWM_TOP(slice) REGISTER(PWM_BASE + 0x14u * (slice) + 0x10)
#define PWM_INTR REGISTER(PWM_BASE + 0xa4)
#define PWM_INTE REGISTER(PWM_BASE + 0xa8)

/* TIMER (4.6.5), WATCHDOG tick (4.7.6) */
#define TIMER_BASE 0x40054000u
#define TIMER_ALARM0 REGISTER(TIMER_BASE + 0x10)
#define TIMER_TIMERAWL REGISTER(TIMER_BASE + 0x28)
#define TIMER_INTR REGISTER(TIMER_BASE + 0x34)
#define TIMER_INTE REGISTER(TIMER_BASE + 0x38)
#define WATCHDOG_BASE 0x40058000u
#define WATCHDOG_CTRL REGISTER(WATCHDOG_BASE + 0x00)
#define WATCHDOG_CTRL_ENABLE (1u << 30)
#define WATCHDOG_LOAD REGISTER(WATCHDOG_BASE + 0x04)
#define WATCHDOG_REASON REGISTER(WATCHDOG_BASE + 0x08)
#define WATCHDOG_TICK REGISTER(WATCHDOG_BASE + 0x2c)

/* Power-on state machine (2.13.4): what the watchdog resets */
#define PSM_WDSEL REGISTER(0x40010000u + 0x08)
#define PSM_ROSC_AND_XOSC 3u
#define PSM_ALL 0x1ffffu

/* Core regulator (2.10) */
#define VREG REGISTER(0x40064000u)
#define VREG_EN (1u << 0)
#define VREG_1V20 (13u << 4)
#define VREG_ROK (1u << 12)

/* ROSC (2.17.8) */
#define ROSC_RANDOMBIT REGISTER(0x40060000u + 0x1c)

/* DMA (2.5.7) */
#define DMA_BASE 0x50000000u
#define DMA_READ_ADDR(channel) REGISTER(DMA_BASE + 0x40u * (channel) + 0x00)
#define DMA_WRITE_ADDR(channel) REGISTER(DMA_BASE + 0x40u * (channel) + 0x04)
#define DMA_TRANS_COUNT(channel) REGISTER(DMA_BASE + 0x40u * (channel) + 0x08)
#define DMA_CTRL_TRIG(channel) REGISTER(DMA_BASE + 0x40u * (channel) + 0x0c)
#define DMA_AL1_CTRL(channel) REGISTER(DMA_BASE + 0x40u * (channel) + 0x10)
#define DMA_AL1_TRANS_COUNT_TRIG(channel) REGISTER(DMA_BASE + 0x40u * (channel) + 0x1c)
#define DMA_INTS0 REGISTER(DMA_BASE + 0x40c)
#define DMA_INTE0 REGISTER(DMA_BASE + 0x404)
#define DMA_MULTI_CHAN_TRIGGER REGISTER(DMA_BASE + 0x430)
#define DMA_SNIFF_CTRL REGISTER(DMA_BASE + 0x434)
#define DMA_SNIFF_EN (1u << 0)
#define DMA_SNIFF_CHANNEL(channel) ((uint32_t)(channel) << 1)
#define DMA_SNIFF_CRC32_REVERSED (1u << 5)
#define DMA_SNIFF_OUT_REV (1u << 10)
#define DMA_SNIFF_DATA REGISTER(DMA_BASE + 0x438)
#define DMA_CHAN_ABORT REGISTER(DMA_BASE + 0x444)
#define DMA_CTRL_EN (1u << 0)
#define DMA_CTRL_HIGH_PRIORITY (1u << 1)
#define DMA_CTRL_SIZE(log2_bytes) ((log2_bytes) << 2)
#define DMA_CTRL_INCR_READ (1u << 4)
#define DMA_CTRL_INCR_WRITE (1u << 5)
#define DMA_CTRL_RING_READ(bits) ((uint32_t)(bits) << 6)
#define DMA_CTRL_RING_WRITE(bits) ((uint32_t)(bits) << 6 | 1u << 10)
#define DMA_CTRL_CHAIN_TO(channel) ((uint32_t)(channel) << 11)
#define DMA_CTRL_TREQ(request) ((uint32_t)(request) << 15)
#define DMA_CTRL_IRQ_QUIET (1u << 21)
#define DMA_CTRL_BSWAP (1u << 22)
#define DMA_CTRL_SNIFF_EN (1u << 23)
#define DMA_CTRL_BUSY (1u << 24)
#define DREQ_PIO0_TX(machine) (0u + (machine))
#define DREQ_PIO0_RX(machine) (4u + (machine))
#define DREQ_SPI0_TX 16u
#define DREQ_SPI0_RX 17u
#define TREQ_PERMANENT 63u

/* PIO (3.7) */
#define PIO0_BASE 0x50200000u
#define PIO0_CTRL REGISTER(PIO0_BASE + 0x000)
#define PIO0_FSTAT REGISTER(PIO0_BASE + 0x004)
#define PIO_FSTAT_RXEMPTY(machine) (1u << (8 + (machine)))
#define PIO0_TXF(machine) REGISTER(PIO0_BASE + 0x010 + 4u * (machine))
#define PIO0_RXF(machine) REGISTER(PIO0_BASE + 0x020 + 4u * (machine))
#define PIO0_IRQ REGISTER(PIO0_BASE + 0x030)
#define PIO0_INSTR_MEM(index) REGISTER(PIO0_BASE + 0x048 + 4u * (index))
#define PIO0_SM_CLKDIV(machine) REGISTER(PIO0_BASE + 0x0c8 + 0x18u * (machine))
#define PIO0_SM_EXECCTRL(machine) REGISTER(PIO0_BASE + 0x0cc + 0x18u * (machine))
#define PIO0_SM_SHIFTCTRL(machine) REGISTER(PIO0_BASE + 0x0d0 + 0x18u * (machine))
#define PIO0_SM_INSTR(machine) REGISTER(PIO0_BASE + 0x0d8 + 0x18u * (machine))
#define PIO0_SM_PINCTRL(machine) REGISTER(PIO0_BASE + 0x0dc + 0x18u * (machine))
#define PIO0_IRQ0_INTE REGISTER(PIO0_BASE + 0x12c)

/* Both blocks of PIO. */
#define PIO1_BASE 0x50300000u
#define PIO_CTRL(base) REGISTER((base) + 0x000)
#define PIO_CTRL_ENABLE(machines) ((uint32_t)(machines))
#define PIO_CTRL_RESTART_ALL(machines) ((uint32_t)(machines) << 4 | (uint32_t)(machines) << 8)
#define PIO_FSTAT(base) REGISTER((base) + 0x004)
#define PIO_FSTAT_TXFULL(machine) (1u << (16 + (machine)))
#define PIO_FSTAT_TXEMPTY(machine) (1u << (24 + (machine)))
#define PIO_FDEBUG(base) REGISTER((base) + 0x008)
#define PIO_FDEBUG_RXSTALL(machines) ((uint32_t)(machines))
#define PIO_FDEBUG_TXSTALL(machines) ((uint32_t)(machines) << 24)
#define PIO_TXF(base, machine) REGISTER((base) + 0x010 + 4u * (machine))
#define PIO_RXF(base, machine) REGISTER((base) + 0x020 + 4u * (machine))
#define PIO_INPUT_SYNC_BYPASS(base) REGISTER((base) + 0x038)
#define PIO_INSTR_MEM(base, index) REGISTER((base) + 0x048 + 4u * (index))
#define PIO_SM_CLKDIV(base, machine) REGISTER((base) + 0x0c8 + 0x18u * (machine))
#define PIO_SM_EXECCTRL(base, machine) REGISTER((base) + 0x0cc + 0x18u * (machine))
#define PIO_SM_EXECCTRL_WRAP(top, bottom) ((uint32_t)(top) << 12 | (uint32_t)(bottom) << 7)
#define PIO_SM_EXECCTRL_JMP_PIN(pin) ((uint32_t)(pin) << 24)
#define PIO_SM_SHIFTCTRL(base, machine) REGISTER((base) + 0x0d0 + 0x18u * (machine))
#define PIO_SM_SHIFTCTRL_JOIN_RX (1u << 31)
#define PIO_SM_SHIFTCTRL_JOIN_TX (1u << 30)
#define PIO_SM_SHIFTCTRL_PULL_AT(bits) ((uint32_t)(bits) % 32u << 25)
#define PIO_SM_SHIFTCTRL_PUSH_AT(bits) ((uint32_t)(bits) % 32u << 20)
#define PIO_SM_SHIFTCTRL_OUT_RIGHT (1u << 19)
#define PIO_SM_SHIFTCTRL_IN_RIGHT (1u << 18)
#define PIO_SM_SHIFTCTRL_AUTOPULL (1u << 17)
#define PIO_SM_SHIFTCTRL_AUTOPUSH (1u << 16)
#define PIO_SM_ADDR(base, machine) REGISTER((base) + 0x0d4 + 0x18u * (machine))
#define PIO_SM_INSTR(base, machine) REGISTER((base) + 0x0d8 + 0x18u * (machine))
#define PIO_SM_PINCTRL(base, machine) REGISTER((base) + 0x0dc + 0x18u * (machine))
#define PIO_SM_PINCTRL_IN(pin) ((uint32_t)(pin) << 15)
#define PIO_SM_PINCTRL_SET(pin, count) ((uint32_t)(pin) << 5 | (uint32_t)(count) << 26)
#define PIO_SM_PINCTRL_SIDE(pin, count) ((uint32_t)(pin) << 10 | (uint32_t)(count) << 29)
#define PIO_SM_PINCTRL_OUT(pin, count) ((uint32_t)(pin) | (uint32_t)(count) << 20)

/* USB in device mode (4.1.2.5, 4.1.4): the memory that both sides share, and the controller. */
#define USB_DPRAM_BASE 0x50100000u
#define USB_DPRAM8(offset) REGISTER8(USB_DPRAM_BASE + (offset))
#define USB_ENDPOINT_CONTROL(number, out) REGISTER(USB_DPRAM_BASE + 8u * (number) + 4u * (out))
#define USB_ENDPOINT_ENABLE (1u << 31)
#define USB_ENDPOINT_DOUBLE (1u << 30)
#define USB_ENDPOINT_TYPE(type) ((uint32_t)(type) << 26)
#define USB_BUFFER_CONTROL(number, out, buffer)                                                                        \
    (*(volatile uint16_t *)(uintptr_t)(USB_DPRAM_BASE + 0x80u + 8u * (number) + 4u * (out) + 2u * (buffer)))
#define USB_BUFFER_FULL (1u << 15)
#define USB_BUFFER_DATA1 (1u << 13)
#define USB_BUFFER_RESTART (1u << 12)
#define USB_BUFFER_STALL (1u << 11)
#define USB_BUFFER_AVAILABLE (1u << 10)
#define USB_BUFFER_LENGTH 0x3ffu
#define USB_ENDPOINT0_BUFFER 0x100u
#define USB_BASE 0x50110000u
#define USB_ADDR_ENDP REGISTER(USB_BASE + 0x00)
#define USB_MAIN_CTRL REGISTER(USB_BASE + 0x40)
#define USB_MAIN_CTRL_CONTROLLER_EN (1u << 0)
#define USB_SIE_CTRL REGISTER(USB_BASE + 0x4c)
#define USB_SIE_CTRL_PULLUP_EN (1u << 16)
#define USB_SIE_STATUS REGISTER(USB_BASE + 0x50)
#define USB_SIE_STATUS_SETUP_REC (1u << 17)
#define USB_SIE_STATUS_BUS_RESET (1u << 19)
#define USB_EP_STALL_ARM REGISTER(USB_BASE + 0x68)
#define USB_EP_STALL_ARM_BOTH 3u
#define USB_MUXING REGISTER(USB_BASE + 0x74)
#define USB_MUXING_TO_PHY (1u << 0)
#define USB_MUXING_SOFTCON (1u << 3)
#define USB_PWR REGISTER(USB_BASE + 0x78)
#define USB_PWR_VBUS_DETECT (1u << 2)
#define USB_PWR_VBUS_DETECT_OVERRIDE_EN (1u << 3)

/* SIO (2.3.1.7) */
#define SIO_BASE 0xd0000000u
#define SIO_CPUID REGISTER(SIO_BASE + 0x000)
#define SIO_GPIO_IN REGISTER(SIO_BASE + 0x004)
#define SIO_GPIO_OUT_SET REGISTER(SIO_BASE + 0x014)
#define SIO_GPIO_OUT_CLR REGISTER(SIO_BASE + 0x018)
#define SIO_GPIO_OUT_XOR REGISTER(SIO_BASE + 0x01c)
#define SIO_GPIO_OE_SET REGISTER(SIO_BASE + 0x024)
#define SIO_GPIO_OE_CLR REGISTER(SIO_BASE + 0x028)
#define SIO_FIFO_ST REGISTER(SIO_BASE + 0x050)
#define SIO_FIFO_ST_VLD (1u << 0)
#define SIO_FIFO_ST_RDY (1u << 1)
#define SIO_FIFO_WR REGISTER(SIO_BASE + 0x054)
#define SIO_FIFO_RD REGISTER(SIO_BASE + 0x058)
#define SIO_DIV_UDIVIDEND REGISTER(SIO_BASE + 0x060)
#define SIO_DIV_UDIVISOR REGISTER(SIO_BASE + 0x064)
#define SIO_DIV_SDIVIDEND REGISTER(SIO_BASE + 0x068)
#define SIO_DIV_SDIVISOR REGISTER(SIO_BASE + 0x06c)
#define SIO_DIV_QUOTIENT REGISTER(SIO_BASE + 0x070)
#define SIO_DIV_REMAINDER REGISTER(SIO_BASE + 0x074)
#define SIO_DIV_CSR REGISTER(SIO_BASE + 0x078)
#define SIO_INTERP(unit, offset) REGISTER(SIO_BASE + 0x080 + 0x40u * (unit) + (offset))
#define SIO_SPINLOCK(lock) REGISTER(SIO_BASE + 0x100 + 4u * (lock))

/* Cortex-M0+ (2.4.8) */
#define SYST_CSR REGISTER(0xe000e010u)
#define SYST_RVR REGISTER(0xe000e014u)
#define SYST_CVR REGISTER(0xe000e018u)
#define NVIC_ISER REGISTER(0xe000e100u)
#define NVIC_ICER REGISTER(0xe000e180u)
#define NVIC_ICPR REGISTER(0xe000e280u)
#define SCB_VTOR REGISTER(0xe000ed08u)

/* Interrupts (2.3.2) */
#define TIMER_IRQ_0 0u
#define PWM_IRQ_WRAP 4u
#define PIO0_IRQ_0 7u
#define DMA_IRQ_0 11u
#define IO_IRQ_BANK0 13u
#define UART1_IRQ 21u

#endif
