/** Returns a function that draws `count` different items, the same in every run: a linear congruential generator (Numerical Recipes). */
export function drawFrom(seed: number): <T>(items: readonly T[], count: number) => T[] {
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return (items, count) => {
    const left = [...items]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)[0]!)
  }
}
