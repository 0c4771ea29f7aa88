/** How a series of measurements changes from its first value to its last, on average. */
export interface Growth {
  median: number
  /** The steady part of the change: the median slope of all pairs of values, times the number of steps. */
  change: number
  /** How far a value usually is from the line with this slope, as a standard deviation. */
  noise: number
}

/** Median slopes (Theil and Sen), because a few outliers, such as a value during a merge, must neither hide nor imitate a leak. */
export function growthOf(values: readonly number[]): Growth {
  const slopes = values.flatMap((value, i) => values.slice(i + 1).map((later, j) => (later - value) / (j + 1)))
  const slope = median(slopes)
  const level = median(values.map((value, i) => value - slope * i))
  const distances = values.map((value, i) => Math.abs(value - slope * i - level))
  return { median: median(values), change: slope * (values.length - 1), noise: 1.4826 * median(distances) }
}

/**
 * The most by which a series without a leak may grow: three standard errors of the line through it, or this share of its level, whichever is more.
 */
export function mostGrowth({ median: level, noise }: Growth, count: number, share: number): number {
  // The standard error of a slope is noise / sqrt(n³ / 12), and the line has n steps.
  return Math.max(3 * noise * Math.sqrt(12 / count), level * share)
}

/** The second highest value, because a single one may be an outlier. */
export function highOf(values: readonly number[]): number {
  return values.toSorted((a, b) => b - a)[1]!
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
