/**
 * Runs one piece of work after the other, in the order they were asked for, whatever became of the ones before.
 * LanceDB takes concurrent commits but makes them conflict and retry.
 */
export function createWriter(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    // Its caller hears of a failure; the next in line only waits for the end.
    last = result.catch(() => undefined)
    return result
  }
}
