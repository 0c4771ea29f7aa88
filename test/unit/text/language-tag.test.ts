import { describe, expect, test } from 'vitest'
import { languageTag } from '../../../src/text/language-tag.ts'

describe('the language of a text', () => {
  test.each([
    ['en', 'The tenant may give notice to the landlord.'],
    ['de', 'Der Mieter kann mit einer Frist von drei Monaten kündigen, und die Kaution wird erstattet.'],
    ['fr', 'Le locataire peut résilier le bail avec un préavis de trois mois dans la ville.'],
    ['nl', 'Het huurcontract kan worden opgezegd met een termijn van drie maanden.'],
    ['ru', 'Договор может быть расторгнут за три месяца, и это не всё.'],
    ['ja', '本契約は、三か月前の通知により解約することができる。'],
    ['zh', '合同可以在三个月内解除。'],
    ['ko', '계약은 해지할 수 있다'],
    ['el', 'Η σύμβαση μπορεί να λυθεί'],
    ['ar', 'يمكن فسخ العقد في أي وقت'],
  ])('%s', (tag, text) => {
    expect(languageTag(text)).toBe(tag)
  })

  test.each([
    ['a table', '2018 2017 2016 Net sales 32,765'],
    ['nothing', ''],
    ['Ukrainian, which shares words with Russian', 'Договір може бути розірваний на три місяці, і це не все.'],
    ['Persian, which shares letters with Arabic', 'این قرارداد پس از سه ماه فسخ می‌شود'],
  ])('is unknown for %s', (_, text) => {
    expect(languageTag(text)).toBeNull()
  })
})
