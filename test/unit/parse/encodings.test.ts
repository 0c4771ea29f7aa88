import { expect, test } from 'vitest'
import { decodeText } from '../../../src/parse/encoding.ts'
import { overlap } from '../../quality/overlap.ts'

const GERMAN =
  'Die Straße führt über die Brücke nach Köln. Früher war das Gelände größer, und die Häuser standen näher am Fluss. Wer heute kommt, findet dort Gärten und Läden.'
const FRENCH =
  'Le bail commence le premier mai et se termine après un délai de trois mois. Le loyer est dû à la fin du mois, même si le locataire a déjà quitté les lieux où il était prévu qu’il habite.'
const POLISH =
  'Umowa najmu zaczyna się pierwszego maja i kończy się, gdy jedna ze stron ją wypowie. Czynsz płaci się z góry, najpóźniej trzeciego dnia miesiąca, także wtedy, gdy mieszkanie jest puste, a każda zmiana wymaga zgody obu stron.'
const CZECH =
  'Nájemní smlouva začíná prvního května a končí, když ji některá ze stran vypoví. Nájemné se platí předem, nejpozději třetí den měsíce, i když je byt prázdný a nikdo v něm nežije. Každá změna vyžaduje souhlas obou stran, ať už ústní, nebo písemný.'
const TURKISH =
  'Sözleşme bir mayısta başlar ve taraflardan biri yazılı olarak bildirdiğinde sona erer. Kira her ayın üçüncü iş gününe kadar ödenir, ev boş olsa bile.'
const RUSSIAN =
  'Договор начинается первого мая и заканчивается, когда одна из сторон его расторгает. Плата вносится не позднее третьего рабочего дня месяца, даже если квартира пуста.'
const GREEK =
  'Η σύμβαση αρχίζει την πρώτη Μαΐου και λήγει όταν ένα από τα μέρη την καταγγείλει. Το ενοίκιο καταβάλλεται το αργότερο την τρίτη εργάσιμη ημέρα του μήνα.'
const HEBREW =
  'החוזה מתחיל באחד במאי ומסתיים כאשר אחד הצדדים מודיע על כך בכתב. שכר הדירה משולם לא יאוחר מיום העבודה השלישי של כל חודש.'
const JAPANESE =
  'この契約は五月一日に始まり、どちらかが書面で通知したときに終わります。家賃は毎月三日までに支払わなければなりません。遅れた場合は利息がかかります。'
const CHINESE =
  '本合同从五月一日开始，任何一方书面通知后三个月结束。租金应在每月的第三个工作日以前支付，晚付的人要付利息，这是双方都同意的。'
const TAIWANESE =
  '本合約從五月一日開始，任何一方書面通知後三個月結束。租金應在每個月的第三個工作日以前支付，晚付的人要付利息，這是雙方都同意的。'
const KOREAN =
  '이 계약은 오월 일일에 시작하고 한쪽이 서면으로 알리면 세 달 뒤에 끝난다. 집세는 매달 셋째 날까지 내야 하며 늦으면 이자를 내야 한다.'

test.each<[string, string]>([
  ['windows-1252', GERMAN],
  ['windows-1252', FRENCH],
  ['iso-8859-2', POLISH],
  ['windows-1250', POLISH],
  ['iso-8859-2', CZECH],
  ['windows-1250', CZECH],
  ['windows-1254', TURKISH],
  ['windows-1251', RUSSIAN],
  ['koi8-r', RUSSIAN],
  ['iso-8859-5', RUSSIAN],
  ['windows-1253', GREEK],
  ['windows-1255', HEBREW],
  ['shift_jis', JAPANESE],
  ['shift_jis', '日本語'],
  ['euc-jp', JAPANESE],
  ['gb18030', CHINESE],
  ['big5', TAIWANESE],
  ['euc-kr', KOREAN],
  ['utf-8', JAPANESE],
])('text in %s is read: %#', (encoding, text) => {
  const { text: read } = decodeText(encode(text, encoding))
  expect(overlap(text, read).recall).toBeGreaterThanOrEqual(0.98)
})

test.each(['utf-16le', 'utf-16be'] as const)('text in %s without a mark is read', (encoding) => {
  const bytes = Buffer.from(RUSSIAN, 'utf16le')
  expect(decodeText(encoding === 'utf-16be' ? bytes.swap16() : bytes)).toMatchObject({ encoding, text: RUSSIAN })
})

/** What the platform only decodes: every character of the text is looked for among what one or two bytes stand for. */
function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  const decoder = new TextDecoder(encoding)
  const bytesOf = new Map<string, number[]>()
  for (let high = 0x80; high < 0x100; high++) {
    for (let low = 0x40; low < 0x100; low++) {
      const character = decoder.decode(Uint8Array.of(high, low))
      if ([...character].length === 1 && !bytesOf.has(character)) bytesOf.set(character, [high, low])
    }
  }
  for (let byte = 0; byte < 0x100; byte++) bytesOf.set(decoder.decode(Uint8Array.of(byte)), [byte])
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = bytesOf.get(character)
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`)
      return bytes
    }),
  )
}
