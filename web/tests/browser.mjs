// Debian's Chromium, driven by Playwright: what the tests of the live page share. It speaks to this computer alone.

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync", "--hide-scrollbars",
  "--disable-background-networking", "--disable-component-update",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Gives `work` a page of this width and prints the JSON that it comes to. */
export async function withPage({ width = 1400, height = 1000, dark = false }, work) {
  const executablePath = process.env.AIRWIRE_CHROMIUM;
  const browser = await chromium.launch({ executablePath, args: FLAGS, headless: true });
  try {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (said) => complaints.push(said.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const found = await work(page, complaints);
    console.log(JSON.stringify({ ...found, complaints }));
  } finally {
    await browser.close();
  }
}

/** Opens the live page and waits until it has drawn something. */
export async function open(page, address) {
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ready === "true");
}

/** The figures of the table, a row for each, as texts by the heads of the columns. */
export function figures(page) {
  return page.evaluate(() => {
    const heads = [...document.querySelectorAll("#table thead th")].map((head) => head.textContent);
    return [...document.querySelectorAll("#table tbody tr")].map((line) =>
      Object.fromEntries([...line.children].map((cell, place) => [heads[place], cell.textContent])));
  });
}
