/** Colours and fonts of all views, light and dark. Text has a contrast of at least 4.5 (WCAG AA), borders of inputs of at least 3. */
export const TOKENS = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#16191f, #eceef2);
  --quiet: light-dark(#5a6372, #a0a9b8);
  --ground: light-dark(#f7f8fa, #0e1014);
  --raised: light-dark(#ffffff, #16191f);
  --sunken: light-dark(#f2f4f7, #1d2128);
  --line: light-dark(#e2e5ea, #2a2f38);
  --line-button: light-dark(#cdd2da, #3b424e);
  --line-input: light-dark(#858e9c, #6b7484);
  --accent: light-dark(#3d57d1, #9dadff);
  --accent-fill: light-dark(#3d57d1, #4a63dd);
  --accent-fill-hover: light-dark(#3148b5, #5a72e8);
  --mark: light-dark(#ffe39a, #66520f);
  --passage: light-dark(#eef1ff, #222a4a);
  --good: light-dark(#17663a, #7fd8a5);
  --warn: light-dark(#865000, #f2c177);
  --bad: light-dark(#b3261e, #ff9f97);
  --bad-fill: light-dark(#b3261e, #c2362d);
  --bad-fill-hover: light-dark(#941b14, #d2463c);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
*, ::before, ::after { box-sizing: border-box; }
`.trimStart()
