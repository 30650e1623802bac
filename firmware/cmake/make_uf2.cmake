# Turns a raw image into a UF2 file: cmake -DINPUT=x.bin -DOUTPUT=x.uf2 -DCC=... -DOBJCOPY=... -P make_uf2.cmake
file(SIZE ${INPUT} bytes)
math(EXPR blocks "(${bytes} + 255) / 256")
execute_process(
  COMMAND ${CC} -c -DFILE="${INPUT}" -DBLOCKS=${blocks} -DBYTES=${bytes} -DBASE=0x10000000
          ${CMAKE_CURRENT_LIST_DIR}/uf2.S -o ${OUTPUT}.o COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OBJCOPY} -O binary -j .uf2 ${OUTPUT}.o ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.o)
