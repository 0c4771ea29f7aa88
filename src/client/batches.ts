// A request may have 20 files and 400 MB (contract 3). Smaller requests keep several connections busy and lose less when one breaks.
const MAX_FILES = 20
const MAX_BYTES = 64_000_000

/** Groups files into requests, in order. A file that is larger than a request goes alone. */
export function batchesOf<T extends { size: number }>(files: readonly T[]): T[][] {
  const batches: T[][] = []
  let bytes = 0
  for (const file of files) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= MAX_FILES || bytes + file.size > MAX_BYTES) {
      batches.push([file])
      bytes = file.size
    } else {
      last.push(file)
      bytes += file.size
    }
  }
  return batches
}
