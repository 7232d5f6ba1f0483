// The simulated flight for a newcomer: what a gateway told once, played again. It commands nothing.
import { now } from './clock.js';
import { body, button, cls, el, toast } from './dom.js';
import { data, json, useSource } from './stream.js';
import { language, T } from './texts.js';

/** @typedef {[number, string, string]} Told  Milliseconds since the begin, topic, what the gateway told. */

/** Milliseconds between the flight's end and its next begin. */
const pause = 8000;

/** Plays what was told, in place of the gateway's event stream. */
class Player extends EventTarget {
  /** @param {Told[]} told */
  constructor(told) {
    super();
    this.told = told;
    /** The one that plays next. */
    this.next = 0;
    this.begunAt = 0;
    this.onopen = () => {};
    this.timer = setTimeout(() => this.begin(), 0);
  }

  begin() {
    this.next = 0;
    this.begunAt = now();
    this.onopen();
    this.step();
  }

  step() {
    const passed = now() - this.begunAt;
    while (this.next < this.told.length && this.told[this.next][0] <= passed) {
      const [, topic, text] = this.told[this.next];
      this.next++;
      // The sentences of events are English.
      if (topic === 'event' && language !== 'en') continue;
      this.dispatchEvent(new MessageEvent(topic, { data: text }));
    }
    const isOver = this.next >= this.told.length;
    const wait = isOver ? pause : this.told[this.next][0] - passed;
    this.timer = setTimeout(() => (isOver ? this.begin() : this.step()), Math.max(20, wait));
  }

  close() {
    clearTimeout(this.timer);
  }
}

/** Whether a simulated flight is shown: what a person says then must not reach the real gateway. */
export const isDemo = () => body.classList.contains('demo');

/** Ends the simulated flight. */
const end = () => location.reload();

// The real gateway is still listened to: once it hears a sonde, that is what counts.
function watchGateway() {
  const real = new EventSource('api/events');
  real.addEventListener('state', event => {
    if (JSON.parse(event.data).source) end();
  });
}

/** Shows a simulated flight until a person ends it, or a real sonde is heard. */
export async function startDemo() {
  /** @type {Told[] | undefined} */
  const told = await json('demo/flight.json');
  if (!told?.length) return toast(T.partMissing);
  if (data.state?.source) return;
  const banner = el('div', { id: 'demo', role: 'status' }, el('span', {}, T.demo), button(T.demoEnd, end));
  body.prepend(banner);
  cls(body, 'demo', true);
  // A question of the real gateway covers the landing point, and its answer would count.
  document.getElementById('roads')?.remove();
  watchGateway();
  useSource(() => new Player(told));
}
