// A steady stream of samples: how much of a processor the page's process takes for it, and what the page has in the end. In
// mid run it is loaded again.
// node steady.mjs ADDRESS; says "ready" when the stream may begin, and "reloaded" when it may end.

import { figures, open, withPage } from "./browser.mjs";

const PATIENCE = { timeout: 150_000 };
const [address] = process.argv.slice(2);

/** The processor time of all pages' processes so far, and the time on the wall. */
async function used(session) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const pages = processInfo.filter((one) => one.type === "renderer");
  return { cpuS: pages.reduce((sum, one) => sum + one.cpuTime, 0), wallS: performance.now() / 1000 };
}

const says = (page, id, text) => page.waitForFunction(
  ([place, wanted]) => document.getElementById(place).textContent === wanted, [id, text], PATIENCE);

await withPage({}, async (page) => {
  await open(page, address);
  const session = await page.context().browser().newBrowserCDPSession();
  const begun = await used(session);
  console.error("ready");
  await says(page, "sentence", "half");
  const half = await used(session);
  await page.reload();
  console.error("reloaded");
  await says(page, "badge", "finished");
  await page.waitForTimeout(600);
  const share = (half.cpuS - begun.cpuS) / (half.wallS - begun.wallS);
  return { share, seconds: half.wallS - begun.wallS, figures: await figures(page) };
});
