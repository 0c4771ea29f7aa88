import { expect, test } from 'vitest'
import { formatNumber } from '../../../../src/parse/xlsx/format-number.ts'

// What Excel in English shows.
test.each<[number, string, string]>([
  [1234.5, '#,##0.00', '1,234.50'],
  [-1234.5, '#,##0.00;(#,##0.00)', '(1,234.50)'],
  [1234567, '#,##0 [$€-407]', '1,234,567 €'],
  [0, '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', '$-'],
  [0.256, '0.0%', '25.6%'],
  [1.005, '0.00', '1.01'],
  [-0.001, '0.00', '0.00'],
  [1_500_000, '0.0,,"M"', '1.5M'],
  [5, '#.##', '5.'],
  [7, '000', '007'],
  [8_005_551_234, '(000) 000-0000', '(800) 555-1234'],
  [12_345, '0.00E+00', '1.23E+04'],
  [1.75, '# ?/?', '1 3/4'],
  [0.5, '??/100', '50/100'],
  [12, '[<10]"few";[>=10]"many:" 0', 'many: 12'],
  [45_000, 'd.m.yyyy', '15.3.2023'],
  [45_000.5, 'yyyy-mm-dd hh:mm:ss', '2023-03-15 12:00:00'],
  [45_000, '[$-407]dddd, d. mmmm yyyy', 'Mittwoch, 15. März 2023'],
  [0.75, 'h:mm AM/PM', '6:00 PM'],
  [1.5, '[h]:mm', '36:00'],
  [45_000.123456, 'mm:ss.00', '57:46.60'],
  [59, 'm/d/yyyy', '2/28/1900'],
  [61, 'm/d/yyyy', '3/1/1900'],
  [-1, 'm/d/yyyy', '-1'],
  [0.1 + 0.2, 'General', '0.3'],
  [123_456_789_012, 'General', '123456789012'],
  [42, '@', '42'],
  [5, '"unclosed', 'unclosed'],
])('%d in the format %s', (value, code, expected) => {
  expect(formatNumber(value, code)).toBe(expected)
})

test('ends for any format and any number', () => {
  const codes = ['0'.repeat(5_000), '?/'.repeat(900), 'E+0'.repeat(400), ';'.repeat(1_000), '[h]'.repeat(500), '', '\\', '_', '*']
  for (const code of codes)
    for (const value of [0, -0, 1e308, -1e-308, Number.NaN, Infinity, 2 ** 53])
      expect(formatNumber(value, code)).toBeTypeOf('string')
})
