import { expect, test } from 'vitest'
import { checkNewPassword } from '../../../src/auth/password-rules.ts'
import type { ErrorCode } from '../../../src/core/errors.ts'
import { errorCode } from '../../support/codes.ts'

const ann = { email: 'Ann.Smith@example.org', name: 'Annabella Smith' }
const refusal = (password: string): ErrorCode | null => {
  try {
    checkNewPassword(password, ann)
    return null
  } catch (error) {
    return (error as { code: ErrorCode }).code
  }
}

test('accepts ten to a thousand characters, counted by code point', () => {
  expect(refusal('vmkq8zr1w')).toBe(errorCode('password_too_short'))
  expect(refusal('vmkq8zr1wx')).toBeNull()
  expect(refusal('🐙🦑🐡🦀🐚')).toBe(errorCode('password_too_short'))
  expect(refusal('🐙🦑🐡🦀🐚🐟🐠🐬🐳🦈')).toBeNull()
  expect(refusal('vmkq8zr1wx'.padEnd(1000, 'z9'))).toBeNull()
  expect(refusal('vmkq8zr1wx'.padEnd(1001, 'z9'))).toBe(errorCode('password_too_long'))
})

test.each([
  'password123',
  'Password2024!',
  'P@$$w0rd!!!!',
  '123password123',
  'qwertyuiop',
  'poiuytrewq',
  '1234567890',
  '0987654321',
  '1q2w3e4r5t',
  'abcdefghijk',
  'iloveyou!!',
  'letmein12345',
  'correcthorsebatterystaple',
  'aaaaaaaaaa',
  'ababababab',
  'abcabcabcabc',
  'Ａｄｍｉｎ１２３４５',
])('refuses the common password %s', (password) => {
  expect(refusal(password)).toBe(errorCode('password_too_common'))
})

test.each(['ann.smith@example.org', 'ann.smith2024', 'Annabella Smith', 'annabellasmith1!'])(
  '%s is her own name or address',
  (password) => {
    expect(refusal(password)).toBe(errorCode('password_too_common'))
  },
)

test.each(['blue kettle sings', 'dragon73920481652', 'Tr7$kk-91zQ', 'мой дом на холме', 'annabella met a wolf'])(
  '%s is good',
  (password) => {
    expect(refusal(password)).toBeNull()
  },
)
