/** The model that this version ships. training/export.py writes this file. */
export const SHIPPED = {
  name: 'english',
  version: 1,
  dimensions: 256,
  file: 'english.bin',
  sha256: 'ae271898e7b0f53de1e3ff247adec4d828b506fa95f6c6cb47aa45b4c66a1703',
} as const
