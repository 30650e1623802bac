// The page by keyboard alone: what is in the order of Tab, what the keys do, and what a screen reader is told.
// node controls.mjs ADDRESS

import { figures, open, withPage } from "./browser.mjs";

const [address] = process.argv.slice(2);
const text = (page, id) => page.evaluate((place) => document.getElementById(place).textContent, id);
const says = (page, id, part) => page.waitForFunction(
  ([place, wanted]) => document.getElementById(place).textContent.includes(wanted), [id, part]);

await withPage({}, async (page) => {
  await open(page, address);
  await says(page, "badge", "finished");
  const order = [];
  const focus = () => page.evaluate(() => {
    const one = document.activeElement;
    return one.id || one.textContent.trim() || one.closest("label")?.textContent || one.tagName;
  });
  for (let key = 0; key < 7; key += 1) {
    await page.keyboard.press("Tab");
    order.push(await focus());
  }
  // Back to the button that pauses.
  await page.focus("#pause");
  await page.keyboard.press("Enter");
  const paused = { label: await text(page, "pause"), pressed: await page.getAttribute("#pause", "aria-pressed"), answer: await text(page, "answer") };
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("moved the antenna");
  await page.keyboard.press("Enter");
  await says(page, "answer", "Mark kept");
  await says(page, "notes", "moved the antenna");
  const marked = { answer: await text(page, "answer"), notes: await text(page, "notes"), left: await page.inputValue("#mark") };
  await page.focus("#save");
  await page.keyboard.press("Enter");
  await says(page, "answer", "Report:");
  const saved = await text(page, "answer");
  // Two rows in place of the one that is shown.
  const boxes = page.locator("#table input");
  await boxes.nth(0).focus();
  await page.keyboard.press("Space");
  await boxes.nth(1).focus();
  await page.keyboard.press("Space");
  const told = await page.evaluate(() => [...document.querySelectorAll("[role=img]")].map((one) => one.getAttribute("aria-label")));
  return { order, paused, marked, saved, told, headline: await text(page, "headline"), spoken: await text(page, "spoken"),
    live: await page.getAttribute("#spoken", "aria-live"), figures: await figures(page) };
});
