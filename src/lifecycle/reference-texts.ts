import type { Embedder } from '../embed/embedder.ts'

/**
 * Passages about unrelated subjects, in the kinds of text that people upload. Any change gives another calibration, which an index gets only when it
 * is built again.
 */
export const SAMPLE_PASSAGES: readonly string[] = [
  'The tenant pays the rent on the first working day of each month and gives three months notice.',
  'Preheat the oven to 180 degrees, mix flour, sugar and butter, and bake the dough for half an hour.',
  'Revenue rose by seven per cent to 412 million, while operating costs stayed level with last year.',
  'The glacier carved a wide valley, and the lake that remained is fed by meltwater each spring.',
  'Call the constructor with the path of the configuration file; it throws an error when the file is missing.',
  'Patients with a fever above 39 degrees received the antibiotic twice daily for ten days.',
  'Tighten the four screws crosswise, then check that the bearing turns without resistance.',
  'The orchestra opened the season with a symphony in D minor and two songs for soprano.',
  'Employees request annual leave in the portal at least two weeks before it begins.',
  'The defender cleared the ball off the line in the final minute, and the match ended in a draw.',
  'Light from the distant galaxy is shifted towards red, which tells how fast it moves away.',
  'Wash the wool by hand in cold water and dry it flat, away from direct sunlight.',
  'The parliament passed the act on data protection with a narrow majority after a long debate.',
  'Bees find the meadow by scent and tell the others its direction with a dance.',
  'The train leaves platform four at 9:42 and stops at every station along the coast.',
  'He signed the treaty in 1648, and the war that had ruined the country came to an end.',
  'Der Antrag ist bis zum Ende des Monats schriftlich bei der Verwaltung einzureichen.',
  'Le musée ouvre ses portes à dix heures et propose une visite guidée le dimanche.',
  'El río cruza la ciudad vieja y desemboca en el mar junto al puerto.',
  '本协议自双方签字之日起生效，有效期为三年。',
  'const total = items.filter((item) => item.paid).reduce((sum, item) => sum + item.price, 0)',
  'Item | Quantity | Price\nScrews, 4 mm | 200 | 12.50\nHinges, brass | 12 | 48.00',
  'Contents: 1 Introduction 3, 2 Methods 17, 3 Results 45, 4 Discussion 61, References 74',
  'From: office@example.com To: all staff Subject: The lift is out of order on Thursday',
]

/** Questions about none of these subjects, and letters without a meaning. Both find nothing in these passages but by chance. */
export const SAMPLE_QUESTIONS: readonly string[] = [
  'how do volcanoes erupt',
  'chess opening for black',
  'when was the printing press invented',
  'dog will not eat his food',
  'price of crude oil in winter',
  'meaning of the painting of the young king',
  'replace a bicycle tyre',
  'who can vote for the mayor',
  'zzzzqqqq',
  'asdf qwer zxcv',
  'xkvjw pqtrlm hgdsb',
  'brmfgl tuwopz',
  'ydhcnkae',
  'qwzx vbnmp lkjhg fdsa',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'f3a91b77c0de',
]

/**
 * Texts whose vectors are stored with each index. A model can return other vectors under the same name and digest, for example with another
 * version of Ollama or on another device; embedding these texts again shows it. They differ in kind and language, because a fault in one may
 * leave the others as they were. Never change a text that has been released: the stored vectors belong to it.
 */
const CANARIES: readonly string[] = [
  'The tenant pays the rent on the first working day of each month.',
  'Der Vertrag verlängert sich um ein Jahr, wenn er nicht drei Monate vorher gekündigt wird.',
  '本协议自双方签字之日起生效。',
  'const sum = prices.reduce((total, price) => total + price, 0)',
]

/** The same model on other hardware stays above .999. Another tokenizer, pooling or template falls far below this. */
export const MIN_SIMILARITY = 0.98

/** Returns the vectors of the canary texts, or null when the model can't embed one of them. Throws as `embedDocuments` does. */
export async function embedCanaries(embedder: Embedder, signal: AbortSignal): Promise<Float32Array[] | null> {
  const vectors = await embedder.embedDocuments(
    CANARIES.map((text) => ({ text, title: null })),
    signal,
  )
  return vectors.every((vector) => vector !== null) ? vectors : null
}

/** Returns the cosine similarity of the two vectors that differ most, or 0 when they can't be compared. All vectors have length 1. */
export function leastSimilarity(before: readonly Float32Array[], now: readonly Float32Array[]): number {
  if (before.length !== now.length) return 0
  return Math.min(...before.map((vector, i) => cosine(vector, now[i]!)))
}

export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
