/** Returns what a text says as JSON, and null if it is not JSON. A schema refuses null like any other wrong value. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
