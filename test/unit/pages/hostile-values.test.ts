import { describe, expect, test } from 'vitest'
import { renderConsent } from '../../../src/pages/account/consent.tsx'
import { renderApplicationForm } from '../../../src/pages/settings/applications.tsx'
import { HOSTILE, pageSamples, USUAL } from '../../support/page-samples.ts'
import { readHtml } from '../../support/read-html.ts'

const usual = pageSamples(USUAL)
const hostile = pageSamples(HOSTILE)

/** The elements and the names of their attributes, without any content. */
function shape(html: string): string[] {
  return readHtml(html).map(({ tag, attributes }) => `${tag} ${Object.keys(attributes).join(' ')}`)
}

describe('untrusted values are shown as text', () => {
  test.each(Object.keys(usual))('%s has the same elements for usual and for hostile names', (name) => {
    expect(shape(hostile[name] ?? '')).toEqual(shape(usual[name] ?? ''))
  })

  test('a state and a list of addresses are returned unchanged', () => {
    const viewer = { name: 'Ada', email: 'ada@example.com', role: 'member' } as const
    const query = `state=a+b%26&x="><b>'é\u202E`
    const consent = renderConsent({
      form: {},
      limit: { projects: [], chosen: [] },
      applicationName: HOSTILE.application,
      clientType: 'public',
      isSelfRegistered: true,
      documentHost: null,
      redirectUri: HOSTILE.redirectUri,
      scopes: ['read:documents'],
      viewer,
      csrf: 'c',
      query,
    })
    expect(readHtml(consent).find(({ attributes }) => attributes['name'] === 'query')?.attributes['value']).toBe(query)

    const addresses = `https://a.example/?x=</textarea><b>\nhttps://b.example/`
    const form = renderApplicationForm({
      viewer,
      csrf: 'c',
      now: '2026-11-21T00:00:00Z',
      application: null,
      form: { values: { redirect_uris: addresses } },
      scopes: [],
      chosenScopes: [],
    })
    expect(readHtml(form).find(({ tag }) => tag === 'textarea')?.text).toBe(addresses)
  })

  test('the name of an application is shortened and can’t change the direction of writing', () => {
    const html = hostile['consent'] ?? ''
    const shown = readHtml(html)
      .filter(({ tag }) => tag === 'h1' || tag === 'title')
      .map(({ text }) => text)
    expect(shown).toHaveLength(2)
    for (const text of shown) {
      expect(text).not.toMatch(/\p{Bidi_Control}/u)
      expect(text.length).toBeLessThan(130)
    }
  })
})

describe('the return address in the consent view', () => {
  const place = (redirectUri: string) => {
    const html = renderConsent({
      form: {},
      limit: { projects: [], chosen: [] },
      applicationName: 'A',
      clientType: 'confidential',
      isSelfRegistered: true,
      documentHost: null,
      redirectUri,
      scopes: [],
      viewer: { name: 'Ada', email: null, role: 'member' },
      csrf: 'c',
      query: '',
    })
    return {
      shown: readHtml(html).find(({ attributes }) => attributes['class'] === 'host')?.text,
      onThisComputer: html.includes('A program on this computer'),
    }
  }

  test.each([
    ['https://desk.example.com:8443/callback', 'desk.example.com:8443', false],
    ['https://docsearch.example@evil.example/', 'evil.example', false],
    ['https://аpple.example/', 'xn--pple-43d.example', false],
    ['http://127.0.0.1:49152/callback', '127.0.0.1:49152', true],
    ['http://[::1]:80/callback', '[::1]', true],
    ['http://127.0.0.1.evil.example/', '127.0.0.1.evil.example', false],
    ['com.example.app:/callback', 'com.example.app:', true],
  ])('%s is shown as %s', (redirectUri, shown, onThisComputer) => {
    expect(place(redirectUri)).toEqual({ shown, onThisComputer })
  })
})
