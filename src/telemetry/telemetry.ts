import type { Telemetry, TelemetryEvent } from '../core/telemetry.ts'

/** Something that counts, measures or logs what happens. `note` must not throw. */
interface Listener {
  note(event: TelemetryEvent): void
}

/** Passes each event to all listeners. Spans go to `trace`. */
export function createTelemetry(listeners: readonly Listener[], trace: Telemetry['trace']): Telemetry {
  return {
    note(event) {
      for (const listener of listeners) listener.note(event)
    },
    trace,
  }
}
