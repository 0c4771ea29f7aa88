import { InvalidArgumentError } from 'commander'

/** How many documents may be deleted: a number, or a share of those that the sync compares. */
export type MaxDelete = { documents: number } | { percent: number }

export const DEFAULT_MAX_DELETE: MaxDelete = { percent: 10 }

/** Reads `25` or `10%`. */
export function parseMaxDelete(value: string): MaxDelete {
  const [, digits, sign] = /^(\d{1,9}(?:\.\d{1,3})?)\s*(%?)$/.exec(value) ?? []
  const number = Number(digits)
  if (digits !== undefined && sign === '%' && number <= 100) return { percent: number }
  if (digits !== undefined && sign === '' && Number.isInteger(number)) return { documents: number }
  throw new InvalidArgumentError('It must be a number of documents, such as 25, or a percentage, such as 10%.')
}

/** Returns how many of `total` documents may be deleted. A percentage above 0 allows at least one. */
export function allowedDeletions(max: MaxDelete, total: number): number {
  return 'documents' in max ? max.documents : Math.ceil((max.percent / 100) * total)
}

export function formatMaxDelete(max: MaxDelete): string {
  return 'documents' in max ? String(max.documents) : `${max.percent}%`
}
