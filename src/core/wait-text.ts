/** Returns a time to wait in words, such as "one second" or "4 minutes". Rounds up to whole minutes from 90 seconds on. */
export function waitText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? 'one second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
