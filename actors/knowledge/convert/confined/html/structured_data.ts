/**
 * Data of a page for search engines (JSON-LD, and microdata in `meta`): questions with answers, products with prices, opening hours, addresses,
 * events. Some pages say it only there.
 */
import { attribute, type Element, find, isElement, type Parent, parentOf, verbatim, walk } from './nodes.ts'

/** Values that are looked for in the text; further ones are written without. */
const MAX_PROBES = 5_000
/** Levels of records in records. */
const MAX_LEVELS = 100
/** Characters of a value that are looked for in the text. */
const PROBE = 120
/** Characters of a value that may stand in a text by chance. */
const SHORT = 4
/** `https://schema.org/InStock` is InStock. */
const SCHEMA = /^https?:\/\/schema\.org\//

/** Properties that a person reads, in the order in which they are written, with their names. */
const READ: Record<string, string> = {
  name: 'Name',
  title: 'Title',
  headline: 'Headline',
  alternateName: 'Also called',
  description: 'Description',
  text: 'Text',
  articleBody: 'Text',
  sku: 'Article number',
  gtin13: 'GTIN',
  brand: 'Brand',
  color: 'Colour',
  size: 'Size',
  material: 'Material',
  category: 'Category',
  price: 'Price',
  lowPrice: 'Lowest price',
  highPrice: 'Highest price',
  priceCurrency: 'Currency',
  priceRange: 'Price range',
  priceValidUntil: 'Price valid until',
  availability: 'Availability',
  dayOfWeek: 'Day',
  opens: 'Opens',
  closes: 'Closes',
  validFrom: 'From',
  validThrough: 'Until',
  openingHours: 'Opening hours',
  telephone: 'Telephone',
  faxNumber: 'Fax',
  email: 'E-mail',
  streetAddress: 'Street',
  postalCode: 'Postal code',
  addressLocality: 'Town',
  addressRegion: 'Region',
  addressCountry: 'Country',
  startDate: 'Starts',
  endDate: 'Ends',
  jobTitle: 'Position',
  baseSalary: 'Salary',
  employmentType: 'Employment',
  datePosted: 'Posted',
  recipeYield: 'Servings',
  recipeIngredient: 'Ingredients',
  prepTime: 'Preparation',
  cookTime: 'Cooking',
  paymentAccepted: 'Payment',
  currenciesAccepted: 'Currencies',
  servesCuisine: 'Cuisine',
  ratingValue: 'Rating',
  reviewBody: 'Review',
  value: 'Value',
}

type Data = Record<string, unknown>

/** Kinds that say where a page is or how it is searched. */
const UNREAD = new Set(['BreadcrumbList', 'SearchAction', 'SiteNavigationElement', 'ImageObject'])

type Found = { lines: string[]; is_new: boolean }

/**
 * The blocks for what is not in the text. `toText` makes text of HTML, in which answers are often written.
 */
export function structuredBlocks(page: Parent, text: string, toText: (html: string) => string): string[] {
  const known = foldedText(text)
  const blocks: string[] = []
  let probes = MAX_PROBES
  // A short number stands in any text.
  const isNew = (value: string) => {
    const folded = foldedText(value).slice(0, PROBE)
    if (folded.length < SHORT) return /\d/.test(folded)
    return probes-- <= 0 || !known.includes(folded)
  }
  const collect = (record: Data, level: number, into: Found) => {
    if (level > MAX_LEVELS || typesOf(record).some((type) => UNREAD.has(String(type)))) return
    if (typesOf(record).includes('Question') && addQuestion(record)) return
    const parts: string[] = []
    for (const [property, name] of Object.entries(READ)) {
      const values = [record[property]].flat().map((value) => (isData(value) ? stringOf(value.name) : stringOf(value)))
      const said = values.map((value) => toText(value.replace(SCHEMA, ''))).filter((value) => value !== '')
      if (said.length > 0) parts.push(`${name}: ${said.join(', ')}`)
      if (said.some(isNew)) into.is_new = true
    }
    if (parts.length > 0) into.lines.push(parts.join('; '))
    for (const inner of Object.values(record).flat().filter(isData)) {
      // A thing with a name is one of its own.
      if (stringOf(inner.name) !== '') add(inner, level + 1)
      else collect(inner, level + 1, into)
    }
  }
  const add = (record: Data, level: number) => {
    const found: Found = { lines: [], is_new: false }
    const at = blocks.length
    collect(record, level, found)
    if (found.is_new) blocks.splice(at, 0, found.lines.join('  \n'))
  }
  const addQuestion = (record: Data): boolean => {
    const question = toText(stringOf(record.name ?? record.text))
    const answers = [record.acceptedAnswer, record.suggestedAnswer].flat().filter(isData)
    const said = answers.map((answer) => toText(stringOf(answer.text))).filter((answer) => answer !== '')
    if (question !== '' && (isNew(question) || said.some(isNew))) blocks.push(`**${question}**`, ...said)
    return question !== ''
  }
  for (const data of [...recordsIn(page), ...microdataIn(page)]) add(data, 0)
  return blocks
}

/** The JSON without the marks that hide it from old browsers. */
function bareJson(text: string): string {
  const marked = text.indexOf('CDATA[')
  const from = marked < 0 ? 0 : marked + 'CDATA['.length
  const start = text.slice(from).search(/[[{]/)
  if (start < 0) return ''
  const end = marked < 0 ? text.length : text.lastIndexOf(']]')
  const last = Math.max(text.lastIndexOf('}', end), text.lastIndexOf(']', end - 1))
  return text.slice(from + start, last + 1)
}

function recordsIn(page: Parent): Data[] {
  const records: Data[] = []
  walk(page, (node) => {
    if (
      !isElement(node) ||
      node.tagName !== 'script' ||
      !/^\s*application\/ld\+json/i.test(attribute(node, 'type') ?? '')
    )
      return true
    records.push(...[jsonOf(bareJson(verbatim(node)))].flat().filter(isData))
    return false
  })
  return records
}

/** JSON as templates write it, too: with ends of lines in texts, and commas after the last. Undefined for what is none. */
function jsonOf(text: string): unknown {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none of these in texts
  for (const form of [text, text.replaceAll(/[\x00-\x1f]/g, ' ').replaceAll(/,(?= {0,200}[\]}])/g, '')]) {
    try {
      return JSON.parse(form)
    } catch {
      // A text that is no JSON says nothing to search engines either.
    }
  }
  return undefined
}

/** Properties in elements without text (`<meta itemprop="price" content="19.90">`), a record for each thing. */
function microdataIn(page: Parent): Data[] {
  const things = new Map<Element | undefined, Record<string, unknown[]>>()
  walk(page, (node) => {
    if (!isElement(node) || (node.tagName !== 'meta' && node.tagName !== 'link')) return true
    const value = attribute(node, node.tagName === 'meta' ? 'content' : 'href')
    const names = attribute(node, 'itemprop')?.trim().split(/\s+/) ?? []
    if (!value || names.length === 0) return true
    let thing = parentOf(node)
    for (let level = 0; thing && level < MAX_LEVELS && attribute(thing, 'itemscope') === undefined; level++)
      thing = parentOf(thing)
    let record = things.get(thing)
    if (!record) {
      record = { '@type': [thing && attribute(thing, 'itemtype')?.replace(SCHEMA, '')] }
      things.set(thing, record)
    }
    for (const name of names) {
      if (Object.hasOwn(record, name)) record[name]!.push(value)
      else record[name] = [value]
    }
    return true
  })
  return [...things.values()]
}

/** The address of the page's own choice to which its links relate. */
export function baseOf(page: Parent): string | undefined {
  const base: Element | undefined = find(page, ({ tagName }) => tagName === 'base')
  return base && attribute(base, 'href')
}

function typesOf({ '@type': type }: Data): unknown[] {
  return [type].flat()
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Letters and digits alone, so that marks and white space make no difference. */
function foldedText(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
