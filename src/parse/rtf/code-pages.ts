import { type Decoder, decoderOf } from '../encoding/decoders.ts'

/** The upper halves of the code pages of DOS, which the Encoding Standard lacks. */
const DOS: Readonly<Record<number, string>> = {
  437: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  852: 'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
}

/** The code pages of the character sets that a font table names. */
const BY_CHARSET: Readonly<Record<number, number>> = {
  77: 10_000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
}

const LABELS: Readonly<Record<number, string>> = {
  708: 'iso-8859-6',
  855: 'ibm855',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1361: 'johab',
  10_000: 'macintosh',
  10_007: 'x-mac-cyrillic',
  20_866: 'koi8-r',
  54_936: 'gb18030',
  65_001: 'utf-8',
}

const decoders = new Map<number, Decoder>()

/** Returns the decoder of a code page of Windows, DOS or Mac OS; that of 1252 for an unknown one. */
export function codePageDecoder(codePage: number): Decoder {
  let decoder = decoders.get(codePage)
  if (decoder === undefined) {
    const dos = DOS[codePage]
    const label = LABELS[codePage] ?? `windows-${codePage}`
    decoder = dos === undefined ? (decoderOf(label) ?? decoderOf('windows-1252')!) : dosDecoder(codePage, dos)
    decoders.set(codePage, decoder)
  }
  return decoder
}

/** Returns the code page of a font's character set; null for the one of the document. */
export function codePageOfCharset(charset: number): number | null {
  return BY_CHARSET[charset] ?? null
}

function dosDecoder(codePage: number, upperHalf: string): Decoder {
  const character = (byte: string) => upperHalf.charAt(byte.charCodeAt(0) - 0x80)
  return {
    encoding: `cp${codePage}`,
    decode: (bytes) =>
      Buffer.from(bytes)
        .toString('latin1')
        .replace(/[\x80-\xff]/g, character),
  }
}
