/** Runs one piece of work after the other, in the order they were asked for, whatever became of the ones before. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    // Its caller hears of a failure; the next in line only waits for the end.
    last = mine.catch(() => {})
    return mine
  }
}
