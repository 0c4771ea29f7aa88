import { paths } from './paths.ts'

/** Returns the OpenSearch description (OpenSearch 1.1), with which browsers and launchers offer to search this instance. */
export function openSearchDescription(baseUrl: string): string {
  const base = baseUrl.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>docsearch</ShortName>
<Description>Search your documents</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/x-icon">${base}${paths.favicon}</Image>
<Url type="text/html" method="get" template="${base}${paths.home}?q={searchTerms}"/>
</OpenSearchDescription>
`
}
