import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyse, analyseQuery } from '../../../src/text/analyse.ts'

const terms = (text: string): string[] => analyse(text).map((token) => token.term)
const finds = (query: string, text: string): boolean => {
  const indexed = new Set(terms(text))
  return analyseQuery(query).some((term) => indexed.has(term))
}

describe('a query matches a document', () => {
  const german = 'Die Kündigungsfristen für den Vertrag sind nicht mehr als drei Monate und werden mit der Rechnung verschickt.'
  test.each([
    ['termination fees', 'A fee is due when the contract is terminated and the notice is not given.'],
    ['Kündigungsfristen', german],
    ['Kündigungsfrist', german],
    ['kundigungsfristen', german],
    ['Verträge', 'Der Vertrag ist von den Parteien zu unterschreiben und die Verträge sind nicht übertragbar.'],
    ['contrats', 'Le contrat est conclu pour une durée de trois ans et il est renouvelé par les parties.'],
    ['contratos', 'El contrato se celebra por una duración de tres años y es renovado por las partes.'],
    ['договор', 'По договорам, которые были заключены в этом году, платежи не производились.'],
    ['sopimuksen irtisanominen', 'Sopimuksen voi irtisanoa, kun se on ollut voimassa vuoden ja kuin siitä on ilmoitettu.'],
    ['Umsatz', 'Umsatz Kosten Gewinn'],
    ['payment', 'Payments Receipts 2023'],
    ['AB-1234', 'Replace the pump AB1234 every year.'],
    ['AB1234', 'Replace the pump AB-1234 every year.'],
    ['ISO 27001', 'Certified to ISO27001 since 2019.'],
    ['ISO27001', 'Certified to ISO 27001 since 2019.'],
    ['max tokens', 'Set maxTokens to 100.'],
    ['maxTokens', 'Set max_tokens to 100.'],
    ['email', 'Write an e-mail to us.'],
    ['e-mail', 'Write an email to us.'],
    ['1234567', 'Revenue was 1,234,567 in all.'],
    ['USA', 'Made in the U.S.A. for export.'],
    ['LLM', 'Many LLMs are trained.'],
    ['cafe', 'The cafe\u0301 is closed.'],
    ['financial', 'The ﬁnancial statements.'],
    ['information', 'The infor\u00ADmation given here.'],
    ['東京', '私は東京タワーに行きました。'],
    ['ガス', 'ｶﾞｽ料金'],
    ['合同', '本合同自签字之日起生效'],
    ['계약', '계약서에 서명하십시오'],
    ['\u1100\u1168\u110B\u1163\u11A8', '계약서에 서명하십시오'],
    ['สัญญา', 'เงื่อนไขของสัญญาเช่า'],
    ['WHO', 'Guidelines published by WHO in the year 2020 are binding.'],
    ['to be or not to be', 'To be, or not to be: that is the question.'],
  ])('%j finds %j', (query, text) => {
    expect(finds(query, text)).toBe(true)
  })

  test.each([
    ['what is the fee', 'It is what the weather does.'],
    ['car', 'The carton was empty and it was not full.'],
    ['東京', '京都の東'],
  ])('%j matches %j only by single characters', (query, text) => {
    const indexed = new Set(terms(text))
    expect(analyseQuery(query).filter((term) => indexed.has(term) && [...term].length > 1)).toEqual([])
  })
})

describe('a query', () => {
  test('leaves stop words out', () => {
    expect(analyseQuery('what is the notice period').some((term) => ['what', 'is', 'the'].includes(term))).toBe(false)
  })
  test('keeps its stop words if it has no other words', () => {
    expect(analyseQuery('to be or not to be')).toContain('not')
  })
  test('without words has no terms', () => {
    expect(analyseQuery(' … ?!')).toEqual([])
  })
  test('keeps a repeated word, because repetition counts', () => {
    expect(analyseQuery('pump for the pump').filter((term) => term === 'pump')).toHaveLength(2)
  })
  test('has the parts of its words, but not the parts of the pieces of a UUID in it', () => {
    const terms = analyseQuery('which cells does the 3GPP-15 mode of 0ee8d816-6b99-c83b-a747-6a7c3906ea01 allow here')
    expect(terms).toEqual(expect.arrayContaining(['gpp', 'cell', '6b99', '0ee8d8166b99c83ba7476a7c3906ea01']))
    expect(terms).not.toContain('99')
    expect(terms).not.toContain('747')
  })
})

describe('tokens', () => {
  test('have the place of their word in the original, even if normalization changes its length', () => {
    const text = 'ﬁne ＡＢＣ, ½ Stra\u00DFe ㌔ cafe\u0301 ｶﾞｽ 𠮷野家'
    for (const { term, start, end } of analyse(text)) {
      expect(text.slice(start, end).normalize('NFKC').toLowerCase().normalize('NFD')[0]).toBe(term.normalize('NFD')[0])
    }
    expect(analyse(text).some((token) => text.slice(token.start, token.end) === '𠮷野')).toBe(true)
  })
  test('of a long word are cut alike in document and query, below the 64 bytes of the index', () => {
    for (const word of ['x'.repeat(300), 'я'.repeat(100)]) {
      const [term] = terms(word)
      expect(Buffer.byteLength(term!)).toBeLessThan(64)
      expect(analyseQuery(word)).toContain(term)
    }
  })
  test('of any text have no blanks, are within it and in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        let last = 0
        for (const { term, start, end, stop } of analyse(text)) {
          expect(term).toMatch(/^\S+$/u)
          expect(Buffer.byteLength(term)).toBeLessThan(64)
          expect(start).toBeLessThan(end)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(end).toBeGreaterThanOrEqual(last)
          expect(typeof stop).toBe('boolean')
          last = start
        }
      }),
    )
  })
  test('of any text match a query for any of its words', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(words, fc.nat(), (list, pick) => {
        const word = list[pick % list.length]!
        if (terms(word).length > 0 && !/[-_.,'\u2010\u2011]/.test(list.join(''))) expect(finds(word, list.join(' '))).toBe(true)
      }),
    )
  })
})
