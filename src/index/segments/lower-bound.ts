/** Returns the first number below `count` from which on the condition holds, or `count`. */
export function lowerBound(count: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
