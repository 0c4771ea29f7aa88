/** Engines print, and nobody reads it. */
export function silenceConsole(): void {
  for (const name of ['log', 'info', 'warn', 'debug', 'error'] as const) console[name] = () => {}
}
