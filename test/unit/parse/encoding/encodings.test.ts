import { expect, test } from 'vitest'
import { decodeText } from '../../../../src/parse/encoding/decode.ts'
import { encode } from '../../../support/encode.ts'
import { parseBytes } from '../../../support/parse-file.ts'
import { overlap } from '../../../quality/overlap.ts'

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

const LITHUANIAN =
  'Sutartis prasideda gegužės pirmąją ir baigiasi, kai viena iš šalių ją nutraukia raštu. Nuoma mokama iš anksto, ne vėliau kaip trečią mėnesio dieną.'
const UKRAINIAN =
  'Договір оренди починається першого травня і закінчується, коли одна зі сторін його розриває. Її плата вноситься щомісяця, не пізніше третього дня.'
const THAI = 'สัญญาเริ่มต้นวันที่หนึ่งพฤษภาคมและสิ้นสุดเมื่อฝ่ายใดฝ่ายหนึ่งแจ้งเป็นลายลักษณ์อักษร'
const ARABIC = 'يبدأ العقد في الأول من مايو وينتهي عندما يعلن أحد الطرفين ذلك كتابيا قبل ثلاثة أشهر.'

test.each<[string, string]>([
  ['windows-1257', LITHUANIAN],
  ['iso-8859-4', LITHUANIAN],
  ['macintosh', GERMAN],
  ['macintosh', FRENCH],
  ['windows-1251', UKRAINIAN],
  ['koi8-u', UKRAINIAN],
  ['ibm866', RUSSIAN],
  ['ibm855', RUSSIAN],
  ['johab', KOREAN],
  ['johab', '제목: 집세를 내는 날'],
  ['windows-1251', 'Привет, мир'],
  ['koi8-r', 'Привет, мир'],
  ['windows-1251', 'ДОГОВОР АРЕНДЫ КВАРТИРЫ'],
  ['koi8-r', 'ДОГОВОР АРЕНДЫ КВАРТИРЫ'],
  ['windows-1255', HEBREW.slice(0, 60)],
  ['windows-1256', ARABIC],
  ['windows-874', THAI],
  ['shift_jis', 'Invoice 2024-05-01\nTotal: 1,200 円\nName: 山田太郎\n'],
  ['euc-jp', 'Invoice 2024-05-01\nTotal: 1,200 円\nName: 山田太郎\n'],
  ['gb18030', 'Party A: 北京某某有限公司\nParty B: Smith Ltd.\n'],
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
])('reads text in %s: %#', (encoding, text) => {
  const { text: read } = decodeText(encode(text, encoding))
  expect(overlap(text, read).recall).toBeGreaterThanOrEqual(0.98)
})

test.each(['utf-16le', 'utf-16be'] as const)('reads %s without a byte order mark', (encoding) => {
  const bytes = Buffer.from(RUSSIAN, 'utf16le')
  expect(decodeText(encoding === 'utf-16be' ? bytes.swap16() : bytes)).toMatchObject({ encoding, text: RUSSIAN })
})

test.each([
  ['Japanese', JAPANESE],
  ['Chinese', CHINESE],
  ['Korean', KOREAN],
  ['Thai', THAI],
])('reads %s without blanks in UTF-16 without a byte order mark', async (_language, text) => {
  const bytes = Buffer.from(text.replaceAll(' ', ''), 'utf16le')
  expect((await parseBytes(bytes, 'a.txt')).pages[0]?.text).toBe(text.replaceAll(' ', ''))
  expect(decodeText(Buffer.from(bytes).swap16())).toMatchObject({ encoding: 'utf-16be' })
})

test('reads UTF-8 with a few broken bytes, or cut within a character, as UTF-8', () => {
  const broken = Buffer.concat([Buffer.from(GERMAN), Buffer.from([0xff]), Buffer.from(JAPANESE).subarray(0, -1)])
  const { text, encoding } = decodeText(broken)
  expect(encoding).toBe('utf-8')
  expect(overlap(GERMAN + JAPANESE, text).recall).toBeGreaterThan(0.98)
})

test('does not take ISO-2022-JP, which is all ASCII, for UTF-8', () => {
  // 日本語
  const bytes = Buffer.from('Name: \u001b$BF|K\\8l\u001b(B.')
  expect(decodeText(bytes)).toMatchObject({ text: 'Name: 日本語.', encoding: 'iso-2022-jp' })
})

test('does not read ASCII text with NULs as Chinese', () => {
  expect(decodeText(Buffer.from('abc\0def, more text\n'.repeat(20))).text).toContain('more text')
})

test('reads symbols and Chinese characters in Johab', () => {
  const bytes = Buffer.from(
    '887389c120b769b76520e4def7dbe855e2d0b78120a4f3b7692098619f6594612e20d96820b7a19f6920b4e18ba1bba120b46193a1d06189a120ace19da120bba1c7a18ba19da120d06594612e',
    'hex',
  )
  expect(decodeText(bytes)).toMatchObject({
    text: '갑과 을은 大韓民國의 법을 따른다. ※ 이를 어기지 아니하고 서로 지키기로 한다.',
    encoding: 'johab',
  })
})
