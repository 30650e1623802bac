// Pictures of the page at each width, light and dark, and what is wrong with its layout.
// node screens.mjs ADDRESS FOLDER FAULTS.JS

import { readFile } from "node:fs/promises";
import { open, withPage } from "./browser.mjs";

const [address, folder, faultsOf] = process.argv.slice(2);
const script = await readFile(faultsOf, "utf8");

await withPage({}, async (page) => {
  const faults = [];
  await open(page, address);
  await page.waitForFunction(() => document.querySelector("#badge").textContent === "finished");
  for (const dark of [false, true]) {
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    for (const width of [1400, 400]) {
      await page.setViewportSize({ width, height: 1000 });
      // Charts follow the width, and are made anew in other colours, when the page draws next.
      await page.waitForTimeout(600);
      for (const fault of await page.evaluate(script)) faults.push(`${width} px: ${fault}`);
      await page.screenshot({ path: `${folder}/${width}-${dark ? "dark" : "light"}.png`, fullPage: true });
    }
  }
  return { faults, headline: await page.textContent("#headline") };
});
