// What the map follows, and how it is turned. Leaflet pans and zooms; heading-up turns its whole pane.
import { $, body, near, put } from '../shared/dom.js';
import { now as currentSituation } from '../shared/model.js';
import { stored } from '../shared/stored.js';
import { chase, data, flight, landing, now, position } from '../shared/stream.js';
import { T } from '../shared/texts.js';
import { wrap } from './wrap.js';

/** Milliseconds after the last touch until the map follows again. */
const restAfter = 30000;
const modes = ['fit', 'heading', 'sonde', 'landing'];
/** The car's place with heading-up, from the top. */
const carLine = 0.68;

/** Pixels between what is followed and the edge of the map, or what lies on it. */
const edge = 48;

/** The pixels of the map that the line at the top and the buttons at the right lie on. */
function covered() {
  const line = $('line').getBoundingClientRect();
  const buttons = $('buttons').getBoundingClientRect();
  const box = $('box').getBoundingClientRect();
  return { top: Math.max(0, line.bottom - box.top), right: Math.max(0, box.right - buttons.left) };
}

/** Whether the browser is asked to move as little as possible. */
export const isStill = matchMedia('(prefers-reduced-motion)').matches;

/**
 * A report's place as Leaflet's, or null.
 * @param {?Placed | undefined} p
 * @returns {?Leaflet.LatLng}
 */
export const latLng = p => (typeof p?.latitude === 'number' ? L.latLng(p.latitude, wrap(p.longitude)) : null);

/** The places of the car, the sonde and the landing point; null if unknown. */
export const places = () => ({
  car: latLng(chase()?.car),
  sonde: latLng(position() ?? flight()?.last),
  landing: latLng(landing()),
});

/** Metres below which the car is near, and a circle small: then the crew looks for the place, not for the way. */
const nearby = 2000;

/**
 * The corners around the circle in which half of all landings are.
 * @param {?Leaflet.LatLng} land
 * @returns {Leaflet.LatLng[]}
 */
function circle(land) {
  const radius = landing()?.error_radius_50_m ?? 0;
  const away = chase()?.landing?.distance_m ?? Number.POSITIVE_INFINITY;
  if (!land || !radius || Math.max(radius, away) <= nearby) return [];
  const around = land.toBounds(2 * radius);
  return [around.getSouthWest(), around.getNorthEast()];
}

export class View {
  /** @param {Leaflet.Map} map */
  constructor(map) {
    this.map = map;
    this.mode = stored.read('follow') || 'fit';
    this.shown = this.mode;
    this.touchedAt = -Infinity;
    this.course = 0;
    this.turned = 0;
    /** A replay is shown. */
    this.isHeld = false;
    map.mouseEventToContainerPoint = (/** @type {MouseEvent} */ event) => this.unturned(event);
    map.on('dragstart', () => this.free());
    const touch = () => {
      this.touchedAt = now();
    };
    for (const name of ['pointerdown', 'wheel']) $('leaf').addEventListener(name, touch, { passive: true });
    new ResizeObserver(() => this.fitPane()).observe($('box'));
  }

  /**
   * From the screen to the turned pane.
   * @param {MouseEvent} event
   */
  unturned(event) {
    const box = $('leaf').getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = event.clientY - box.top - box.height / 2;
    const angle = (this.turned * Math.PI) / 180;
    const size = this.map.getSize();
    return L.point(
      x * Math.cos(angle) - y * Math.sin(angle) + size.x / 2,
      x * Math.sin(angle) + y * Math.cos(angle) + size.y / 2,
    );
  }

  /** @param {string} mode */
  show(mode) {
    this.shown = mode;
    put($('follow').lastChild, T.follows[mode]);
    body.dataset.follow = mode;
    this.fitPane();
    if (mode !== 'free') this.follow(true);
  }

  /** The screen was opened. It had no size until now. */
  opened() {
    this.fitPane();
    if (this.shown !== 'free' && !this.isHeld) this.follow(true);
  }

  free() {
    this.touchedAt = now();
    this.show('free');
  }

  next() {
    this.mode = modes[(modes.indexOf(this.mode) + 1) % modes.length];
    stored.keep('follow', this.mode);
    this.touchedAt = -Infinity;
    this.show(this.mode);
  }

  // Heading-up: a square with the diagonal's side, turned around the car in the lower third.
  fitPane() {
    if ($('map').hidden) return;
    const { width, height } = $('box').getBoundingClientRect();
    const isTurned = this.shown === 'heading';
    const middle = height * carLine;
    const side = Math.ceil(2 * Math.hypot(width / 2, middle));
    /** @param {number} v */
    const px = v => `${v}px`;
    const square = {
      width: px(side),
      height: px(side),
      left: px((width - side) / 2),
      top: px(middle - side / 2),
    };
    Object.assign($('leaf').style, isTurned ? square : { width: '100%', height: '100%', left: 0, top: 0 });
    if (!isTurned) this.turn(0);
    this.map.invalidateSize({ pan: false });
  }

  /** @param {number} to */
  turn(to) {
    this.turned = to;
    $('leaf').style.transform = to ? `rotate(${-to}deg)` : '';
    body.style.setProperty('--turn', `${to}deg`);
  }

  // Shows what the mode says.
  follow(isNew = false) {
    const { car, sonde, landing: land } = places();
    const leadsToSonde = currentSituation().target === 'sonde';
    const target = leadsToSonde ? sonde : land || sonde;
    /** @type {Record<string, ?Leaflet.LatLng>} */
    const named = { sonde, landing: land };
    const one = named[this.shown];
    if (this.shown === 'heading' && car) {
      this.course = near(chase()?.car.course_deg ?? this.course, this.course);
      this.turn(this.course);
      this.go(car, isNew, isNew ? 12 : 8);
    } else if (one) this.go(one, isNew, 8);
    else {
      // The target may be the sonde itself.
      const all = new Set([
        car,
        target,
        data.state?.source ? sonde : null,
        ...(leadsToSonde ? [] : circle(land)),
      ]);
      this.fit([...all].filter(Boolean), isNew);
    }
  }

  /**
   * Centres the map. It glides there unless what it follows is new or the zoom is below the least.
   * @param {Leaflet.LatLng} to
   * @param {boolean} isNew
   * @param {number} leastZoom
   */
  go(to, isNew, leastZoom) {
    const { map } = this;
    const zoom = map.getZoom() < leastZoom ? 12 : map.getZoom();
    if (isNew || zoom !== map.getZoom()) map.setView(to, zoom, { animate: false });
    else map.panTo(to, { animate: !isStill, duration: 1, easeLinearity: 1 });
  }

  /**
   * Moves only when needed: a map at rest is easier to read.
   * @param {Leaflet.LatLng[]} all
   * @param {boolean} isNew
   */
  fit(all, isNew) {
    if (!all.length || (!isNew && now() - this.touchedAt < restAfter)) return;
    const { map } = this;
    const bounds = L.latLngBounds(all);
    const { top, right } = covered();
    const [low, high] = [L.point(edge, top + edge), L.point(right + edge, edge)];
    const room = map.getSize().subtract(low).subtract(high);
    const around = low.add(high);
    const zoom = all.length > 1 && room.x > 0 ? Math.min(18, map.getBoundsZoom(bounds, false, around)) : 11;
    /** @param {Leaflet.LatLng} place */
    const at = place => map.project(place, zoom);
    const middle = at(bounds.getSouthWest()).add(at(bounds.getNorthEast())).divideBy(2);
    const centre = middle.add(L.point(right, -top).divideBy(2));
    const seen = L.bounds([low, map.getSize().subtract(high)]);
    const fits =
      zoom === map.getZoom() && all.every(place => seen.contains(map.latLngToContainerPoint(place)));
    if (isNew || !fits) map.setView(map.unproject(centre, zoom), zoom, { animate: false });
  }

  // Follows, also again some time after the last touch.
  keepFollowing() {
    if (this.isHeld) return;
    if (this.shown !== 'free') this.follow();
    else if (now() - this.touchedAt > restAfter) this.show(this.mode);
  }

  /**
   * Stays where it is during a replay.
   * @param {boolean} isHeld
   */
  hold(isHeld) {
    this.isHeld = isHeld;
    if (isHeld) this.show('free');
    else this.show(this.mode);
  }

  /** @param {number} by */
  zoom(by) {
    this.touchedAt = now();
    this.map.setZoom(this.map.getZoom() + by);
  }

  /** @param {number} x  @param {number} y */
  pan(x, y) {
    this.free();
    this.map.panBy([x * 120, y * 120]);
  }
}
