import { describe, expect, test } from 'vitest'
import { checkRedirectUri, isRegistered } from '../../../src/oauth/redirect-uri.ts'
import { errorCode } from '../../support/codes.ts'

describe('registration', () => {
  test.each([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com:8443/callback?tenant=7',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]/callback',
    'http://localhost:3000/',
    'com.example.app:/callback',
    'com.example.app://callback',
  ])('takes %s', (uri) => {
    expect(() => checkRedirectUri(uri)).not.toThrow()
  })

  test.each([
    ['javascript:alert(1)', /scheme javascript:/],
    ['javascript://app.example.com/%0aalert(1)', /scheme javascript:/],
    ['data:text/html,hello', /scheme data:/],
    ['file:///etc/passwd', /scheme file:/],
    ['myapp:/callback', /scheme myapp:/],
    ['/callback', /not an absolute/],
    ['app.example.com/callback', /not an absolute/],
    ['https://app.example.com/callback#token', /fragment/],
    ['https://app.example.com/callback#', /fragment/],
    ['https://user@app.example.com/callback', /user name/],
    ['https://app.example.com;sandbox/callback', /a host with other characters/],
    ['https://*.example.com/callback', /a host with other characters/],
    ['https://app.example.com,x/callback', /a host with other characters/],
    ["https://'self'/callback", /a host with other characters/],
    ['com.example.app://host;sandbox/callback', /a host with other characters/],
    ['https://user:secret@app.example.com/callback', /user name/],
    ['http://app.example.com/callback', /only for loopback/],
    ['http://127.0.0.1.evil.com/callback', /only for loopback/],
    ['http://localhost.evil.com/callback', /only for loopback/],
    ['http://2130706433/callback', /write http:\/\/127\.0\.0\.1\/callback/],
    ['http://0x7f.1/callback', /write http:\/\/127\.0\.0\.1\/callback/],
    ['http://127.1/callback', /write http/],
    ['https://app.example.com/a/%2e%2e/callback', /write https/],
    ['https://app.example.com/a/../callback', /write https/],
    ['HTTPS://app.example.com/callback', /write https/],
    ['https://APP.example.com/callback', /write https/],
    ['https:\\\\app.example.com\\callback', /write https/],
    ['https://app.example.com/call back', /space/],
    ['https://bücher.example/callback', /ASCII/],
    ['https://app.example.com/\r\nLocation:', /space/],
    ['https://app.example.com/callback?code=1', /parameter code/],
    ['https://app.example.com/callback?state=1', /parameter state/],
    ['', /space|absolute/],
    [`https://app.example.com/${'a'.repeat(2000)}`, /the limit is 2000/],
  ])('refuses %s', (uri, because) => {
    expect(() => checkRedirectUri(uri)).toThrow(
      expect.objectContaining({ code: errorCode('invalid_redirect_uri'), message: expect.stringMatching(because) }),
    )
  })
})

describe('at authorization', () => {
  const registered = [
    'https://app.example.com/callback',
    'http://127.0.0.1/callback',
    'http://[::1]/callback',
    'http://localhost:3000/callback',
  ]

  test.each([
    'https://app.example.com/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]:49152/callback',
    'http://localhost:3000/callback',
  ])('%s is registered', (uri) => {
    expect(isRegistered(registered, uri)).toBe(true)
  })

  test.each([
    'https://app.example.com/callback/',
    'https://app.example.com/Callback',
    'https://APP.example.com/callback',
    'https://app.example.com/callback?a=b',
    'https://app.example.com/callback#',
    'https://app.example.com/%63allback',
    'https://app.example.com/a/%2e%2e/callback',
    'https://app.example.com:443/callback',
    'https://app.example.com:8443/callback',
    'https://user@app.example.com/callback',
    'https://app.example.com.evil.com/callback',
    'http://app.example.com/callback',
    'http://127.0.0.1:8080/other',
    'http://127.0.0.1:8080/callback/',
    'http://127.0.0.1:8080/callback?a=b',
    'http://127.0.0.1:8080@evil.com/callback',
    'http://127.0.0.1:8080.evil.com/callback',
    'http://127.0.0.1.evil.com/callback',
    'http://127.0.0.1.evil.com:8080/callback',
    'http://2130706433/callback',
    'http://2130706433:8080/callback',
    'http://127.0.0.2:8080/callback',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:0/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:08080/callback',
    'http://127.0.0.1:-1/callback',
    'https://127.0.0.1:8080/callback',
    'http://localhost:3001/callback',
    'http://localhost/callback',
    '',
  ])('%s is not', (uri) => {
    expect(isRegistered(registered, uri)).toBe(false)
  })

  test('a loopback address without a path is not the beginning of others', () => {
    expect(isRegistered(['http://127.0.0.1'], 'http://127.0.0.1:8080')).toBe(true)
    for (const uri of ['http://127.0.0.1:8080@evil.com', 'http://127.0.0.1:8080/', 'http://127.0.0.1.evil.com'])
      expect(isRegistered(['http://127.0.0.1'], uri)).toBe(false)
  })
})
