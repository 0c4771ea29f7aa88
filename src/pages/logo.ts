/** A page of text with a marked passage. Its colours work on light and dark backgrounds. */
export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#3f5bd9"/>
<rect x="8" y="8.5" width="16" height="2.6" rx="1.3" fill="#fff" opacity=".55"/>
<rect x="8" y="14.7" width="11" height="2.6" rx="1.3" fill="#fff"/>
<rect x="8" y="20.9" width="16" height="2.6" rx="1.3" fill="#fff" opacity=".55"/>
<circle cx="22.7" cy="16" r="2.3" fill="#ffd166"/>
</svg>
`
