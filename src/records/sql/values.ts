/** What is in use all the time is not written at every request: "last used" is right to the minute. */
export const TOUCH_MS = 60_000

/** Milliseconds since 1970, as the columns have them, to a Date. */
export function moment(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
