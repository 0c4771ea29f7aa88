/**
 * Returns the first number from 0 for which the condition holds, or `count` when it holds for no number below `count`. Once the condition
 * holds, it has to hold for all higher numbers.
 */
export function lowerBound(count: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
