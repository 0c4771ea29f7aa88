import { expect, test } from 'vitest'
import { preferredWait } from '../../../src/http/api/upload/routes.ts'

test.each([
  ['wait=30', 30],
  ['respond-async, wait=10', 10],
  ['Wait = "5"; foo', 5],
  ['wait=0', 0],
  ['wait=9999', 120],
  ['', null],
  ['wait', null],
  ['wait=-1', null],
  ['wait=1.5', null],
  ['nowait=3', null],
])('Prefer: %s waits %s', (header, seconds) => expect(preferredWait(header)).toBe(seconds))
