// What the page finds in the browser besides the standard names, and the reports. Debian's libraries come without types.
declare const L: any;
interface Window {
  L?: any;
  Dygraph?: any;
  qrcode?: any;
}

/** Leaflet's values. */
declare namespace Leaflet {
  type Map = any;
  type Layer = any;
  type LatLng = any;
  type Point = any;
  /** What a layer or a marker takes. */
  type Options = any;
}

// Tests/page.sh makes the rest of this namespace of Fixtures/schemas.
declare namespace Report {
  /** The sign of life of the page's stream. */
  interface Alive {
    at: string;
    clock_synced: boolean;
  }
  /** The newest report of each kind. An optional one may be empty. */
  type Data = { [K in keyof Kinds]?: K extends Optional ? Partial<Kinds[K]> : Kinds[K] } & {
    alive?: Alive;
    receiver_state?: string;
  };
  type Car = NonNullable<Chase['car']>;
  /** A chase with a live car. */
  type LiveChase = Chase & { car: Car };
  type Bearing = Bearings['bearings'][number];
  type Crew = Crews['crews'][number];
  type Launch = Launches['launches'][number];
  type Sonde = Sondes['sondes'][number];
}

/** A place of any report. */
interface Placed {
  latitude: number;
  longitude: number;
}

/** A point of a track as `/api/track` has it: milliseconds since 1970, degrees, metres, source. */
type TrackPoint = [number, number, number, number, string];

/** What the board's stream tells of other people's cars. What a car has not told is null. */
declare namespace Board {
  interface Alive {
    at: string;
    broker: boolean;
    commands: boolean;
    units: string;
  }
  interface Car {
    id: string;
    /** `ok`, or why it can't be reached. */
    reach: string;
    at: string | null;
    clock_off_s: number | null;
    twice: boolean;
    serial: string | null;
    state: string | null;
    source: string | null;
    latitude: number | null;
    longitude: number | null;
    course_deg: number | null;
    speed_mps: number | null;
    placed_at: string | null;
    rssi_dbm: number | null;
    battery_pct: number | null;
    radio_at: string | null;
  }
  interface Position {
    latitude: number | null;
    longitude: number | null;
    altitude_m: number | null;
    vertical_speed_mps: number | null;
    source: string | null;
    sonde_type: string | null;
    at: string | null;
    car: string;
  }
  interface Landing {
    latitude: number | null;
    longitude: number | null;
    source: string | null;
    error_radius_50_m: number | null;
    landing_error_50_s: number | null;
    landing_at: string | null;
    car: string;
  }
  interface Recovery {
    state: string | null;
    by: string | null;
    note: string | null;
    at: string | null;
    car: string;
  }
  interface Arrival {
    car: string;
    distance_m: number | null;
    method: string | null;
    duration_s: number | null;
    arrival_at: string | null;
    margin_s: number | null;
  }
  interface Sonde {
    serial: string;
    position: Position | null;
    phase: string | null;
    heard_by: Array<{ car: string; rssi_dbm: number | null; at: string | null }>;
    landing: Landing | null;
    recovery: Recovery | null;
    arrivals: Arrival[];
  }
  interface Lines {
    serial: string;
    /** Milliseconds since 1970, latitude, longitude, altitude. */
    track: number[][];
    path: number[][];
  }
  interface Gone {
    all?: boolean;
    cars?: string[];
    sondes?: string[];
  }
}
