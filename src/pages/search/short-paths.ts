/** A longer heading path or folder would fill a line of its own with what the reader did not ask for. */
const MAX_HEADING = 90
const MAX_FOLDER = 60

/** Shortens a heading path from its middle: the first heading says where the passage is, and the last one what it is about. */
export function shortHeading(heading: string): string {
  if (heading.length <= MAX_HEADING) return heading
  const parts = heading.split(' › ')
  const last = parts.at(-1)!
  const first = parts[0]!
  if (parts.length > 2 && first.length + last.length + 7 <= MAX_HEADING) return `${first} › … › ${last}`
  return parts.length > 1 && last.length + 4 <= MAX_HEADING ? `… › ${last}` : cutAtWord(last, MAX_HEADING)
}

/** Returns the folder of a path with a slash at its end, without the first levels if it is long. Empty for a document without a folder. */
export function shortFolder(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  if (folder.length <= MAX_FOLDER) return folder
  const levels = folder.slice(0, -1).split('/')
  let short = ''
  while (levels.length > 0 && short.length + levels.at(-1)!.length + 3 <= MAX_FOLDER) short = `${levels.pop()}/${short}`
  return `…/${short}`
}

/** Cuts a text between words if it can. */
function cutAtWord(text: string, max: number): string {
  const start = text.slice(0, max - 1)
  const blank = start.lastIndexOf(' ')
  return `${(blank > max / 2 ? start.slice(0, blank) : start).toWellFormed()}…`
}
