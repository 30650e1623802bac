"use strict";
// Asks for the figures once a second, and draws the last minute of the voltage.
const KEPT = 60;
const FULL_SCALE = 3.3;
const [WIDTH, HEIGHT] = [300, 80];
const values = [];
const place = (id) => document.getElementById(id);

function draw() {
  const x = (n) => WIDTH - (values.length - 1 - n) * WIDTH / (KEPT - 1);
  const y = (volts) => HEIGHT - volts / FULL_SCALE * HEIGHT;
  const points = values.map((volts, n) => `${x(n).toFixed(1)},${y(volts).toFixed(1)}`);
  const line = place("line");
  line.querySelector("polyline").setAttribute("points", points.join(" "));
  line.querySelector("path").setAttribute("d", `M${x(0)},${HEIGHT}L${points.join("L")}L${WIDTH},${HEIGHT}Z`);
  place("seconds").textContent = `last ${values.length} s`;
}

async function refresh() {
  const state = place("state");
  try {
    const answer = await fetch("live.json.shtml", { signal: AbortSignal.timeout(3000) });
    if (!answer.ok) throw new Error(answer.statusText);
    const live = await answer.json();
    for (const name of ["voltage", "temperature", "counter"]) place(name).textContent = live[name];
    values.push(Number(live.voltage));
    if (values.length > KEPT) values.shift();
    draw();
    state.textContent = "live";
    state.className = "";
  } catch (error) {
    state.textContent = `no answer (${error.message}), trying again`;
    state.className = "lost";
  }
  setTimeout(refresh, 1000);
}

refresh();
