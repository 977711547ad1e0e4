/** The tags of a page that our own code wrote: attributes stand in double quotes, and `<` begins nothing else. */

export type Tag = { name: string; attributes: Map<string, string> }

const TAG = /<([a-z][a-z\d-]*)((?: [a-z][\w:-]*(?:="[^"]*")?)*) ?\/?>/g
const ATTRIBUTE = / ([a-z][\w:-]*)(?:="([^"]*)")?/g
const BEGINNINGS = /<(?!\/|!doctype )/gi
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Returns the opening tags with an attribute. Throws for a page that a browser might read in another way. */
export function tagsOf(html: string): Tag[] {
  const tags: Tag[] = []
  let count = 0
  for (const [, name, attributes] of html.matchAll(TAG)) {
    count++
    if (attributes !== '') tags.push({ name: name!, attributes: attributesOf(attributes!) })
  }
  const begun = html.match(BEGINNINGS)?.length ?? 0
  if (begun !== count) throw new Error(`${begun} tags begin, and ${count} of them are written as usual`)
  return tags
}

function attributesOf(text: string): Map<string, string> {
  const all = new Map<string, string>()
  for (const [, name, value = ''] of text.matchAll(ATTRIBUTE)) {
    // The first of two counts in a browser.
    if (!all.has(name!)) all.set(name!, value.includes('&') ? plain(value) : value)
  }
  return all
}

function plain(value: string): string {
  return value.replaceAll(/&(#?\w+);/g, (entity, name) => ENTITIES[name] ?? entity)
}
