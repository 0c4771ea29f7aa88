import { describe, expect, test } from 'vitest'
import { DEFAULT_OAUTH_POLICY } from '../../../src/core/oauth-policy.ts'
import { checkRedirectUri, isRegistered } from '../../../src/oauth/redirect-uri.ts'
import { errorCode } from '../../support/codes.ts'

const NOTHING_MORE = DEFAULT_OAUTH_POLICY.callbacks

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
    expect(() => checkRedirectUri(uri, NOTHING_MORE)).not.toThrow()
  })

  test.each([
    ['javascript:alert(1)', /scheme javascript:/],
    ['javascript://app.example.com/%0aalert(1)', /scheme javascript:/],
    ['data:text/html,hello', /scheme data:/],
    ['file:///etc/passwd', /scheme file:/],
    ['myapp:/callback', /scheme myapp:/],
    ['cursor://anysphere.cursor-mcp/oauth/callback', /scheme cursor:/],
    ['http://192.168.1.10/callback', /only for loopback/],
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
    expect(() => checkRedirectUri(uri, NOTHING_MORE)).toThrow(
      expect.objectContaining({ code: errorCode('invalid_redirect_uri'), message: expect.stringMatching(because) }),
    )
  })
})

describe('what the operator allows', () => {
  const privateHttp = { privateHttp: true, schemes: [] }
  const cursor = { privateHttp: false, schemes: ['cursor'] }

  test.each([
    'http://10.0.0.7/callback',
    'http://192.168.1.10:8080/callback',
    'http://172.16.0.1/callback',
    'http://100.64.0.1/callback',
    'http://[fd12:3456::1]/callback',
    'http://nas/callback',
    'http://wiki.internal/callback',
    'http://printer.local/callback',
    'http://box.home.arpa/callback',
  ])('http on a private network: %s', (uri) => {
    expect(() => checkRedirectUri(uri, privateHttp)).not.toThrow()
    expect(() => checkRedirectUri(uri, cursor)).toThrow(/only for loopback/)
  })

  test.each([
    'http://app.example.com/callback',
    'http://8.8.8.8/callback',
    'http://172.32.0.1/callback',
    'http://169.254.169.254/callback',
    'http://0.0.0.0/callback',
    'http://[fe80::1]/callback',
    'http://[2001:db8::1]/callback',
    'http://[::ffff:808:808]/callback',
    'http://internal.example.com/callback',
  ])('%s stays refused', (uri) => {
    expect(() => checkRedirectUri(uri, privateHttp)).toThrow(/only for loopback and private networks/)
  })

  test('a scheme without a dot, and no other', () => {
    expect(() => checkRedirectUri('cursor://anysphere.cursor-mcp/oauth/callback', cursor)).not.toThrow()
    for (const uri of [
      'cursors://x/callback',
      'vscode://x/callback',
      'javascript:alert(1)',
      'cursor:callback',
      'CURSOR://x/callback',
    ])
      expect(() => checkRedirectUri(uri, cursor), uri).toThrow()
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
