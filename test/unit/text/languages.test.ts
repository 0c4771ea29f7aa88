import { describe, expect, test } from 'vitest'
import { analyse, analyseQuery } from '../../../src/text/analyse.ts'
import { NO_LANGUAGE, numberOf, shownLanguage } from '../../../src/text/language.ts'
import { STOP_WORDS } from '../../../src/text/stop-words.ts'

const terms = (text: string): string[] => analyse(text).map((token) => token.term)
const meets = (query: string, text: string): string[] => {
  const indexed = new Set(terms(text))
  return analyseQuery(query).filter((term) => indexed.has(term))
}

/** For each language with a stemmer: a sentence, words of it in other forms, and a word that only looks similar. */
const LANGUAGES: Record<string, { text: string; asked: string[]; not: string }> = {
  english: {
    text: 'The tenants are to return the keys when the agreement has been terminated.',
    asked: ['tenant', 'returning', 'key', 'agreements', 'terminate'],
    not: 'tent',
  },
  german: {
    text: 'Die Mieter haben die Schlüssel bei der Übergabe der Wohnung zu übergeben und für Schäden an den Türen zu haften.',
    asked: ['Mietern', 'Schlüsseln', 'Wohnungen', 'wohnung', 'Turen', 'TÜREN'],
    not: 'Mitte der',
  },
  french: {
    text: 'Les locataires doivent payer les loyers le premier jour de chaque mois et ils sont responsables des réparations.',
    asked: ['locataire', 'loyer', 'réparation', 'reparations', 'responsable', 'l’locataire'],
    not: 'local',
  },
  spanish: {
    text: 'Los inquilinos deben pagar los alquileres el primer día de cada mes y son responsables de las reparaciones menores.',
    asked: ['inquilino', 'alquiler', 'reparación', 'responsable'],
    not: 'alquitrán',
  },
  italian: {
    text: 'Gli inquilini devono pagare gli affitti il primo giorno di ogni mese e sono responsabili delle riparazioni.',
    asked: ['inquilino', 'affitto', 'riparazione', 'responsabile'],
    not: 'affetto',
  },
  portuguese: {
    text: 'Os inquilinos devem pagar as rendas no primeiro dia de cada mês e são responsáveis pelas reparações menores.',
    asked: ['inquilino', 'renda', 'reparação', 'paga'],
    not: 'reprovar',
  },
  dutch: {
    text: 'De huurders moeten de sleutels teruggeven en zij zijn voor de reparaties aan de woningen van de verhuurder aansprakelijk.',
    asked: ['huurder', 'sleutel', 'sleutels', 'woning', 'WONING'],
    not: 'slee',
  },
  swedish: {
    text: 'Hyresgästerna ska lämna tillbaka nycklarna och de är inte ansvariga för lägenheterna efter att det har skett.',
    asked: ['hyresgäster', 'nycklar', 'lägenhet', 'lagenhet'],
    not: 'läge',
  },
  danish: {
    text: 'Lejerne skal aflevere nøglerne, og de er ikke ansvarlige for lejlighederne efter at det er sket for dem.',
    asked: ['lejer', 'nøgler', 'lejligheder', 'lejlighed'],
    not: 'lede',
  },
  norwegian: {
    text: 'Leietakerne skal levere tilbake nøklene, og de er ikke ansvarlige for leilighetene etter at det er gjort av dem.',
    asked: ['leilighetene', 'leiligheter', 'leilighet'],
    not: 'leirer',
  },
  finnish: {
    text: 'Vuokralaiset palauttavat avaimet, kun sopimus on päättynyt, ja he eivät ole enää vastuussa asunnoista, jos niin on sovittu.',
    asked: ['vuokralainen vuokralaiset', 'avaimen', 'asunnossa'],
    not: 'sopiva',
  },
  hungarian: {
    text: 'A bérlők a kulcsokat visszaadják, ha a szerződés megszűnt, és nem felelősek a lakásokért, hogy ha azt már átadták.',
    asked: ['bérlőknek', 'lakásokat', 'szerződés'],
    not: 'kulcsár',
  },
  romanian: {
    text: 'Chiriașii trebuie să plătească chiriile în prima zi a lunii și sunt responsabili pentru reparațiile care au fost făcute.',
    asked: ['reparație', 'chirie', 'responsabil'],
    not: 'chirurg',
  },
  turkish: {
    text: 'Kiracılar anahtarları ve kapıları teslim etmek için bir gün beklemek zorunda değil, ama bu çok önemli bir konu.',
    asked: ['anahtarlar', 'kapılar', 'kiracılar'],
    not: 'anakara',
  },
  russian: {
    text: 'Арендаторы должны вернуть ключи, и они не отвечают за квартиры после того, как договоры были расторгнуты.',
    asked: ['арендатор', 'ключ', 'квартира', 'договор', 'ДОГОВОРА'],
    not: 'разговор',
  },
  arabic: {
    text: 'يدفع المستأجرون الإيجارات في أول كل شهر ويسلمون المفاتيح',
    asked: ['مستأجر', 'المستأجرين', 'مفاتيح'],
    not: 'مدينة',
  },
  armenian: { text: 'Վարձակալները պետք է վերադարձնեն բանալիները', asked: ['վարձակալներ', 'բանալիներ'], not: 'բառարան' },
  tamil: { text: 'வாடகைதாரர்கள் சாவிகளை திருப்பித் தர வேண்டும்', asked: ['வாடகைதாரர்', 'சாவிகள்'], not: 'நகரம்' },
}

describe.each(Object.entries(LANGUAGES))('%s', (_language, { text, asked, not }) => {
  test.each(asked)('%s finds another form of itself', (word) => {
    expect(meets(word, text)).not.toEqual([])
  })
  test(`${not} does not`, () => {
    expect(meets(not, text)).toEqual([])
  })
  test('every word of the sentence except function words matches itself', () => {
    const asked = new Set(analyseQuery(text))
    expect(analyse(text).filter(({ term, stop }) => !stop && !asked.has(term))).toEqual([])
  })
})

test.each(Object.entries(STOP_WORDS).filter(([language]) => language !== 'armenian' && language !== 'tamil'))(
  'a query in %s drops its function words, unless it has no other words',
  (_language, words) => {
    const few = [...words].filter((word) => word.length > 2).slice(0, 4)
    expect(analyseQuery(few.join(' ')).length).toBeGreaterThanOrEqual(few.length)
    expect(analyseQuery(`${few.join(' ')} xylophon`).every((term) => term.startsWith('xylop'))).toBe(true)
  },
)

describe('scripts without blanks', () => {
  test.each([
    [
      'Chinese',
      '租户应在每月第一天支付租金，押金为三个月的租金。',
      ['租金', '押金', '每月第一天', '三個月'.replace('個', '个')],
      '房屋',
    ],
    [
      'Japanese',
      '賃借人は毎月１日に家賃を支払うものとし、敷金はカギの返却後に返還する。',
      ['家賃', '敷金', 'ｶｷﾞ', '毎月1日', '返還する'],
      '保証',
    ],
    [
      'Korean',
      '임차인은 매월 1일에 임대료를 지급하며 보증금은 열쇠를 반환한 후에 돌려받는다.',
      ['임차인', '임대료', '보증금을', '열쇠가'],
      '건물',
    ],
    ['Thai', 'ผู้เช่าต้องชำระค่าเช่าทุกวันที่หนึ่งของเดือน และคืนกุญแจเมื่อสัญญาสิ้นสุด', ['ค่าเช่า', 'กุญแจ', 'สัญญา'], 'บ้าน'],
  ])('%s: a word within a sentence is found by its pairs', (_language, text, asked, not) => {
    const pairs = (query: string) => meets(query, text).filter((term) => [...term.replace(/\p{M}/gu, '')].length > 1)
    for (const word of asked) expect(pairs(word), word).not.toEqual([])
    expect(pairs(not)).toEqual([])
  })

  test('Latin words and numbers among them are separate words', () => {
    expect(terms('型号AB-1234的水泵使用Windows系统')).toEqual(expect.arrayContaining(['ab1234', 'windows']))
    expect(meets('AB-1234', '型号AB-1234的水泵')).not.toEqual([])
  })
})

describe('a language without a stemmer', () => {
  test.each([
    ['Polish', 'Najemca płaci czynsz pierwszego dnia każdego miesiąca i zwraca klucze.', 'czynsz', 'placi'],
    ['Czech', 'Nájemce platí nájemné první den každého měsíce a vrací klíče.', 'nájemné', 'klice'],
    ['Vietnamese', 'Người thuê trả tiền thuê vào ngày đầu tiên của mỗi tháng.', 'tiền', 'tien'],
    ['Ukrainian', 'Орендар сплачує орендну плату першого дня кожного місяця і повертає ключі.', 'орендар', 'ключі'],
    ['Greek', 'Ο μισθωτής καταβάλλει το μίσθωμα την πρώτη ημέρα κάθε μήνα.', 'μίσθωμα', 'μισθωμα'],
    ['Hebrew', 'השוכר משלם את שכר הדירה ביום הראשון של כל חודש.', 'הדירה', 'השוכר'],
    ['Hindi', 'किरायेदार हर महीने की पहली तारीख को किराया देता है।', 'किराया', 'तारीख'],
    ['Persian', 'مستاجر اجاره را در روز اول هر ماه پرداخت می‌کند.', 'اجاره', 'پرداخت'],
  ])('%s: words match except for accents and case', (_language, text, word, folded) => {
    expect(meets(word, text)).not.toEqual([])
    expect(meets(folded, text)).not.toEqual([])
    expect(meets(word.toUpperCase(), text)).not.toEqual([])
  })

  test('a text of only ASCII without function words is stemmed as English, as every query is', () => {
    expect(terms('invoices receipts payments')).toEqual(['invoic', 'receipt', 'payment'])
    expect(meets('payment', 'invoices receipts payments')).not.toEqual([])
  })
})

describe('the language that a text shows', () => {
  test.each(Object.entries(LANGUAGES))('%s', (language, { text }) => {
    expect([NO_LANGUAGE, numberOf(language as keyof typeof STOP_WORDS)]).toContain(shownLanguage(analyse(text)))
  })

  test.each(['Rotterdam 2019 Kowalczyk', '12 34 56', '公司在鹿特丹重建了港口', ''])('%j shows none', (text) => {
    expect(shownLanguage(analyse(text), 1)).toBe(NO_LANGUAGE)
  })

  test('a short question shows it with one word, and a text does not', () => {
    expect(shownLanguage(analyse('the harbour'), 1)).toBe(numberOf('english'))
    expect(shownLanguage(analyse('the harbour'))).toBe(NO_LANGUAGE)
  })
})
