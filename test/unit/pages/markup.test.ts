import { describe, expect, test } from 'vitest'
import { pageSamples, USUAL } from '../../support/page-samples.ts'
import { readHtml } from '../../support/read-html.ts'

describe.each(Object.entries(pageSamples(USUAL)))('%s', (_name, html) => {
  const elements = readHtml(html)

  test('every form leads to a path of this instance, and a form that changes something is posted with its token', () => {
    for (const [at, form] of elements.entries()) {
      if (form.tag !== 'form') continue
      if (form.attributes['method'] === 'get') {
        // A GET form would put the token into the address.
        expect(elements.filter((element) => element.form === at).map(({ attributes }) => attributes['name'])).not.toContain(
          'csrf',
        )
        expect(form.attributes['action']).toMatch(/^\/(?:$|documents(?:\/|$)|settings\/audit$)/)
        continue
      }
      expect(form.attributes['method']).toBe('post')
      expect(form.attributes['action']).toMatch(/^\/[a-z]/)
      const inner = elements.filter((element) => element.form === at)
      expect(
        inner.filter(({ attributes }) => attributes['name'] === 'csrf').map(({ attributes }) => attributes['value']),
      ).toEqual(['csrf-of-the-sample'])
      expect(inner.some(({ tag, attributes }) => tag === 'button' && attributes['type'] === 'submit')).toBe(true)
    }
  })

  test('no view contains a script or an inline style', () => {
    for (const { tag, attributes } of elements) {
      expect(['script', 'style', 'object', 'embed', 'base', 'iframe']).not.toContain(tag)
      expect(Object.keys(attributes).filter((name) => name === 'style' || name.startsWith('on'))).toEqual([])
      // The only way out is the link to an application that nobody here knows, at the address that it registered.
      if (attributes['rel'] === 'noreferrer') expect(attributes['href']).toMatch(/^https:/)
      else for (const name of ['href', 'src']) expect(attributes[name] ?? '/').toMatch(/^(\/(?!\/)|#|\?page=\d+#)/)
    }
  })

  test('every input has a label, and IDs are unique', () => {
    const ids = elements.map(({ attributes }) => attributes['id']).filter((id) => id !== undefined)
    expect(new Set(ids).size).toBe(ids.length)
    const labelled = new Set(elements.filter(({ tag }) => tag === 'label').map(({ attributes }) => attributes['for']))
    for (const { tag, attributes } of elements) {
      if (['input', 'select', 'textarea'].includes(tag) && attributes['type'] !== 'hidden' && !('hidden' in attributes)) {
        expect(labelled).toContain(attributes['id'])
      }
      const references = `${attributes['aria-describedby'] ?? ''} ${attributes['aria-labelledby'] ?? ''}`.split(' ')
      for (const id of references.filter((one) => one !== '')) expect(ids).toContain(id)
      if (attributes['href']?.startsWith('#') === true) expect(ids).toContain(attributes['href'].slice(1))
    }
  })

  test('an input with an error says so and is described by the error', () => {
    for (const { tag, attributes } of elements) {
      if (attributes['aria-invalid'] === undefined) continue
      expect(['input', 'textarea', 'select']).toContain(tag)
      expect(attributes['aria-describedby']).toContain(`${attributes['id']}-error`)
    }
  })

  test('every view has one h1, one main element and a title', () => {
    expect(elements.filter(({ tag }) => tag === 'h1')).toHaveLength(1)
    expect(elements.filter(({ tag }) => tag === 'main')).toHaveLength(1)
    expect(elements.find(({ tag }) => tag === 'title')?.text).toMatch(/ · docsearch$/)
    expect(elements.filter(({ attributes }) => 'autofocus' in attributes).length).toBeLessThan(2)
  })
})

describe('a refused form', () => {
  const refused = readHtml(pageSamples(USUAL)['password, refused'] ?? '')

  test('says so in its title, focuses its summary, and never returns a password', () => {
    expect(refused.find(({ tag }) => tag === 'title')?.text).toMatch(/^Error: /)
    const summary = refused.find(({ attributes }) => attributes['role'] === 'alert')
    expect(summary?.attributes).toHaveProperty('autofocus')
    expect(summary?.attributes['tabindex']).toBe('-1')
    expect(refused.filter(({ attributes }) => attributes['type'] === 'password')).toHaveLength(3)
    for (const { attributes } of refused) if (attributes['type'] === 'password') expect(attributes).not.toHaveProperty('value')
  })
})
