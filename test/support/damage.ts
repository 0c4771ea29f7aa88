import { expect } from 'vitest'
import { isDocsearchError } from '../../src/core/errors.ts'
import { seeded } from './seeded.ts'

const CUTS = [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]
const FLIPS = [1, 4, 16, 64, 256]
const ROUNDS = 4

/** Returns damaged versions of a file, as a bad disk, a broken transfer or an attacker would leave it, by kind of damage. They are the same in every run. */
export function damaged(bytes: Buffer): Record<string, Buffer> {
  const random = seeded(bytes.length)
  const below = (limit: number): number => Math.floor(random() * limit)
  const cases: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    'one byte': bytes.subarray(0, 1),
    'all but the last byte': bytes.subarray(0, -1),
    zeros: Buffer.alloc(5_000),
    noise: Buffer.from(Array.from({ length: 5_000 }, () => below(256))),
    'noise after its beginning': Buffer.concat([
      bytes.subarray(0, 64),
      Buffer.from(Array.from({ length: 5_000 }, () => below(256))),
    ]),
    'twice in one': Buffer.concat([bytes, bytes]),
  }
  for (const cut of CUTS) cases[`the first ${cut * 100} %`] = bytes.subarray(0, Math.floor(bytes.length * cut))
  for (const flips of FLIPS) {
    for (let round = 1; round <= ROUNDS; round++) {
      const copy = Buffer.from(bytes)
      for (let i = 0; i < flips; i++) copy[below(copy.length)] = below(256)
      cases[`${flips} bytes changed, ${round}`] = copy
    }
  }
  return cases
}

/** Expects that a reader of a file of the search index reports the damage or, when it changed nothing that is read, answers as before. */
export function expectDamage(what: string, read: () => unknown, before: unknown): void {
  let found: unknown
  try {
    found = read()
  } catch (error) {
    expect(isDocsearchError(error, 'index_corrupt'), `${what}: ${String(error)}`).toBe(true)
    return
  }
  expect(found, what).toEqual(before)
}
