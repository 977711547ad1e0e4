/** Pages as shops, towns and clubs publish them: all of their content is in the text, whatever hides it at first. */
import t from 'tap'
import { readPage } from '../../actors/knowledge/convert/confined/html/page.ts'

const URL = 'https://tea.example/help/faq'
/** Longer than what is looked for, so that a converter of articles would take it for the whole article. */
const INTRODUCTION = `<p>${'Our house at the harbour has served tea from four mountains since the old mill was closed. '.repeat(6)}</p>`

const read = (body: string) =>
  readPage(`<!doctype html><html><head><title>House</title></head><body>${body}</body></html>`, URL)

/** A question and its answer. `{q}` and `{a}` stand for them. */
const HIDDEN: [name: string, html: string][] = [
  ['hidden', '<h3>{q}</h3><div hidden>{a}</div>'],
  ['hidden until found', '<h3>{q}</h3><div hidden="until-found">{a}</div>'],
  ['display: none', '<h3>{q}</h3><div style="display:none"><p>{a}</p></div>'],
  ['visibility: hidden', '<h3>{q}</h3><div style="visibility: hidden">{a}</div>'],
  ['opacity 0', '<h3>{q}</h3><div style="opacity:0">{a}</div>'],
  ['aria-hidden', '<h3>{q}</h3><div aria-hidden="true">{a}</div>'],
  ['a closed state', '<h3><button data-state="closed">{q}</button></h3><div data-state="closed" hidden>{a}</div>'],
  ['a button', '<div><button>{q}</button><div>{a}</div></div>'],
  ['a label', '<label for="c1">{q}</label><input type="checkbox" id="c1"><div>{a}</div>'],
  ['a tab', '<div role="tablist"><button role="tab">{q}</button></div><div role="tabpanel" hidden>{a}</div>'],
  ['details', '<details><summary>{q}</summary>{a}</details>'],
  ['a definition', '<dl><dt>{q}</dt><dd>{a}</dd></dl>'],
  ['a dialog', '<p>{q}</p><dialog>{a}</dialog>'],
  ['noscript', '<p>{q}</p><noscript><p>{a}</p></noscript>'],
  ['an aside', '<aside><p>{q}</p><p>{a}</p></aside>'],
  ['a footer', '<footer><p>{q}</p><p>{a}</p></footer>'],
  ['a header', '<header><p>{q}</p><p>{a}</p></header>'],
  ['a fieldset', '<form><fieldset><legend>{q}</legend>{a}</fieldset></form>'],
  ['a choice', '<label>{q}</label><select><option>First</option><option>{a}</option></select>'],
  ['a shadow', '<my-answer><template shadowrootmode="open"><p>{a}</p></template><span>{q}</span></my-answer>'],
  ['a template', '<p>{q}</p><template><p>{a}</p></template>'],
  ['a class', '<div class="menu sidebar sr-only related-questions comments author popup"><p>{q}</p><p>{a}</p></div>'],
  ['a link and what it opens', '<a href="#a1">{q}</a><div id="a1" style="display:none">{a}</div>'],
  ['a picture', '<figure><img src="a.png" alt="{a}"><figcaption>{q}</figcaption></figure>'],
  ['a marquee', '<center>{q}</center><marquee>{a}</marquee>'],
  ['a frame written here', '<p>{q}</p><iframe srcdoc="&lt;p&gt;{a}&lt;/p&gt;"></iframe>'],
  ['an unknown element', '<x-accordion><x-head>{q}</x-head><x-body>{a}</x-body></x-accordion>'],
  ['an area of text', '<label>{q}</label><textarea readonly>{a}</textarea>'],
  ['a drawing', '<svg viewBox="0 0 9 9"><title>{q}</title><text>{a}</text></svg>'],
  ['a list of menu items', '<menu><li>{q}</li><li>{a}</li></menu>'],
]

for (const [name, html] of HIDDEN) {
  t.test(`${name} keeps ten questions and ten answers`, async (t) => {
    const pairs = Array.from({ length: 10 }, (_, at) => [
      `Is pot ${at} refilled?`,
      `Pot ${at} is refilled ${at + 2} times.`,
    ])
    const body = pairs.map(([q, a]) => html.replaceAll('{q}', q!).replaceAll('{a}', a!)).join('\n')
    const { content, warnings } = read(INTRODUCTION + body)
    for (const text of pairs.flat()) t.ok(content.includes(text!), text)
    t.strictSame(warnings, [])
  })
}

const pages: [name: string, body: string, content: string][] = [
  [
    'a short list after a label',
    '<p><b>Hours</b></p><ul><li>Mon 8-16</li><li>Sun closed</li></ul>',
    '**Hours**\n\n- Mon 8-16\n- Sun closed',
  ],
  ['numbers of a list', '<ol start="4"><li>four<li>five<li value="9">nine</ol>', '4. four\n5. five\n9. nine'],
  ['numbers that count down', '<ol reversed><li>bronze<li>silver<li>gold</ol>', '3. bronze\n2. silver\n1. gold'],
  ['hyphens for the end of a line', '<p>Jas&shy;mine tea</p>', 'Jasmine tea'],
  [
    'tabs in an element for navigation',
    '<nav role="tablist"><button>Green</button><button>Black</button></nav><p>Tea.</p>',
    'Green Black\n\nTea.',
  ],
  ['lists in lists', '<ul><li>hot<ul><li>green<li>black</ul><li>cold</ul>', '- hot\n  - green\n  - black\n- cold'],
  ['text among the items of a list', '<ul>cold<li>iced</ul>', 'cold\n- iced'],
  [
    'terms with one meaning and with several',
    '<dl><dt>Mon<dd>8-16<dt>Tue<dt>Wed<dd>9-12<dd>14-18</dl>',
    '**Mon**: 8-16\n\n**Tue, Wed**: 9-12\n\n14-18',
  ],
  [
    'a table with its caption, and cells that span',
    `<table><caption>Postage from May</caption><thead><tr><th>Zone<th colspan=2>Cost</tr></thead>
     <tr><td rowspan=2>North<td>1 kg<td>4 €</tr><tr><td>5 kg<td>9 €</tr><tfoot><tr><td colspan=3>with tax</tfoot></table>`,
    '**Postage from May**\n\n| Zone | Cost | Cost |\n| --- | --- | --- |\n| North | 1 kg | 4 € |\n| North | 5 kg | 9 € |\n| with tax |  |  |',
  ],
  [
    'signs of tables, breaks and lists in a cell',
    '<table><tr><th>A<th>B<tr><td>x|y<td>1<br>2<tr><td><ul><li>p<li>q</ul><td>r</table>',
    '| A | B |\n| --- | --- |\n| x\\|y | 1 / 2 |\n| p / q | r |',
  ],
  [
    'a table in a cell',
    '<table><tr><td>Parcels<td><table><tr><th>Zone<th>Days<tr><td>East<td>2</table></table>',
    'Parcels\n\n| Zone | Days |\n| --- | --- |\n| East | 2 |',
  ],
  [
    'cells of paragraphs',
    '<table><tr><th>Tea<th>Story<tr><td>Oolong<td><h4>Rare</h4><p>From the east.</p></table>',
    '**Tea**: Oolong\n\n**Story**\n\n#### Rare\n\nFrom the east.',
  ],
  ['styled parts of a line', '<div><span>Adults</span><span>12 €</span></div>', 'Adults 12 €'],
  ['marks within a word', '<p><span>O</span>nce a <b>Mon</b>day, <b>all </b>day.</p>', 'Once a Monday, **all** day.'],
  ['cents above the line', '<p>5<sup>99</sup> € for 2 m<sup>2</sup>, H<sub>2</sub>O</p>', '5⁹⁹ € for 2 m², H2O'],
  ['an old price', '<p><del>20 €</del> 15 €</p>', '~~20 €~~ 15 €'],
  ['signs that are no Markdown', '<p>a_b * [1] #5 <b>2*3</b></p>', 'a_b * [1] #5 **2*3**'],
  [
    'links',
    '<p><a href="../terms">Terms</a>, <a href="tel:+1555">call</a>, <a href="mailto:a@b.example">a@b.example</a>, <a href="#x">here</a></p>',
    '[Terms](https://tea.example/terms), [call](tel:+1555), a@b.example, here',
  ],
  [
    'a card that is a link',
    '<a href="/p/1"><div><h3>Oolong</h3><p>12 €</p></div></a>',
    '### [Oolong](https://tea.example/p/1)\n\n12 €',
  ],
  ['code as it stands', '<pre><code class="language-sh">a  b\n  c</code></pre>', '```sh\na  b\n  c\n```'],
  [
    'readings of signs, and short forms',
    '<p><ruby>茶<rt>ちゃ</rt></ruby> <abbr title="Value Added Tax">VAT</abbr></p>',
    '茶(ちゃ) VAT (Value Added Tax)',
  ],
  [
    'signs with names',
    '<table><tr><th>Room<th>Bath<tr><td>1<td><i aria-label="Yes" class="tick"></i><tr><td>2<td><input type="checkbox" disabled><tr><td>3<td><input type="checkbox" disabled checked></table>',
    '| Room | Bath |\n| --- | --- |\n| 1 | Yes |\n| 2 | [ ] |\n| 3 | [x] |',
  ],
  [
    'a map of places',
    '<img src="m.png" usemap="#m"><map name="m"><area alt="Harbour" href="/h"><area alt="Mill"></map>',
    'Harbour Mill',
  ],
  ['a field with a value', '<p>Code <input readonly value="TEA10"> <input type="hidden" value="no"></p>', 'Code TEA10'],
]

t.test('a page keeps the form of its content', async (t) => {
  for (const [name, body, expected] of pages) {
    const { content } = read(body)
    t.equal(
      content,
      expected.startsWith('#') || expected === '' ? `# House\n\n${expected}` : `# House\n\n${expected}`,
      name,
    )
  }
})

t.test('navigation, scripts and styles are left out, and navigation is counted', async (t) => {
  const nav = '<nav><a href="/">Start</a><a href="/shop">Shop</a></nav>'
  const { content, warnings } = read(
    `${nav}<div role="navigation"><a href="/a">About</a></div><p>Tea.</p><script>no()</script><style>p{}</style>`,
  )
  t.equal(content, '# House\n\nTea.')
  t.match(warnings, [{ code: 'navigation_left_out', count: 2, message: '2 parts with navigation were left out.' }])
  t.match(read('<nav></nav><p>Tea.</p>').warnings, [], 'nothing is left out of an empty one')
})

t.test('navigation that says something is content', async (t) => {
  const hours =
    '<nav><a href="/">Start</a><p>Open from Monday to Friday, eight to four, and on Sundays in summer.</p></nav>'
  t.match(read(`${hours}<p>Tea.</p>`).content, /Open from Monday/)
  t.equal(read('<nav><a href="/oolong">Oolong</a></nav>').content, '# House\n\n[Oolong](https://tea.example/oolong)')
})

t.test('pages within a page are counted, those without a size are not', async (t) => {
  const frames =
    '<p>Tea.</p><iframe src="https://map.example"></iframe><iframe src="https://count.example" width="0" height="0"></iframe>'
  t.match(read(frames).warnings, [{ code: 'embedded_left_out', count: 1 }])
})

t.test('a frame that does not end hides nothing behind it', async (t) => {
  const { content } = read('<p>Tea.</p><iframe><h2>Hours</h2><div>From eight to four.</div>')
  t.equal(content, '# House\n\nTea.\n\n## Hours\n\nFrom eight to four.')
  t.equal(
    read('<p>Tea.</p><iframe srcdoc="<ul><li>green<li>black</ul>"></iframe>').content,
    '# House\n\nTea.\n\n- green\n- black',
  )
})

const data = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const question = (name: string, text: string) => ({
  '@type': 'Question',
  name,
  acceptedAnswer: { '@type': 'Answer', text },
})

t.test('what a page says to search engines alone is content', async (t) => {
  const faq = {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    mainEntity: [question('Is it open?', '<p>Yes, <b>daily</b>.</p>'), question('Any cake?', 'Only on Sundays.')],
  }
  const both = read(`<p>Any cake? Only on Sundays.</p>${data(faq)}`).content
  t.equal(both, '# House\n\nAny cake? Only on Sundays.\n\n**Is it open?**\n\nYes, **daily**.')
  const shop = {
    '@graph': [
      {
        '@type': 'Product',
        name: 'Oolong',
        offers: { price: 7, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
      },
      { '@type': 'BreadcrumbList', itemListElement: [{ name: 'Start' }] },
    ],
  }
  const products = read(`<p>Tea.</p>${data(shop)}`).content
  t.equal(products, '# House\n\nTea.\n\nName: Oolong  \nPrice: 7; Currency: EUR; Availability: InStock')
  const store = {
    '@type': 'Store',
    name: 'House',
    openingHoursSpecification: { dayOfWeek: ['Monday', 'Tuesday'], opens: '08:00', closes: '16:00' },
  }
  t.match(read(`<p>Tea.</p>${data(store)}`).content, /Day: Monday, Tuesday; Opens: 08:00; Closes: 16:00/)
  const hidden = `<script type="application/ld+json">//<![CDATA[\n${JSON.stringify(question('Is it hidden?', 'No.'))}\n//]]></script>`
  t.match(read(`<p>Tea.</p>${hidden}`).content, /Is it hidden\?/)
  t.equal(read(`<p>Tea.</p><script type="application/ld+json">{ no json</script>`).content, '# House\n\nTea.')
  const written = `{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Is it\nnew?","acceptedAnswer":{"text":"No."}},]}`
  t.match(
    read(`<p>Tea.</p><script type="application/ld+json">${written}</script>`).content,
    /\*\*Is it new\?\*\*\n\nNo\./,
  )
})

t.test('what elements without text say of a thing is content', async (t) => {
  const offer = `<meta itemprop="price" content="19.90"><meta itemprop="priceCurrency" content="EUR">
    <link itemprop="availability" href="https://schema.org/InStock">`
  const lamp = `<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lamp</b>
    <div itemscope itemprop="offers" itemtype="https://schema.org/Offer">${offer}</div></div>`
  const hours =
    '<div itemscope><meta itemprop="openingHours" content="Mo-Fr 08:00-16:00"><meta itemprop="openingHours" content="Sa 09:00-12:00"></div>'
  const { content } = read(lamp + hours)
  t.equal(
    content,
    '# House\n\n**Lamp**\n\nPrice: 19.90; Currency: EUR; Availability: InStock\n\nOpening hours: Mo-Fr 08:00-16:00, Sa 09:00-12:00',
  )
  t.notMatch(read('<p>Costs 19.90 EUR</p><meta itemprop="price" content="19.90">').content, /Price/)
})

t.test('a page that scripts make is told, and never done without a word', async (t) => {
  for (const script of ['<script src="/app.js"></script>', '<script type="application/json">{"text":"Tea"}</script>'])
    t.throws(() => read(`<div id="root"></div>${script}`), { code: 'made_by_scripts' }, script)
  for (const text of ['<noscript>You need to enable JavaScript to run this app.</noscript>', '<p>Loading…</p>']) {
    const { warnings } = read(`<div id="root">${text}</div><script type="module" src="/app.js"></script>`)
    t.match(warnings, [{ code: 'scripts_left_out', count: 1 }], text)
  }
  t.strictSame(read(`${INTRODUCTION}<script src="/count.js"></script>`).warnings, [], 'a page with its text')
  t.strictSame(read('<p>Loading…</p>').warnings, [], 'no script')
})

t.test('files that a page shows are counted, pictures and films are not', async (t) => {
  const shown = '<embed src="/menu.pdf" type="application/pdf"><object data="/prices.pdf">Prices</object>'
  const { content, warnings } = read(`<p>Tea.</p>${shown}<embed src="/film.swf"><object data="/logo.svg"></object>`)
  t.equal(content, '# House\n\nTea.\n\nPrices')
  t.match(warnings, [{ code: 'embedded_left_out', count: 2 }])
})

t.test('an element that XML ends hides nothing behind it', async (t) => {
  const page = `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>House</title>
    <script src="a.js" /></head><body><a id="top"/><p>Open daily.</p><textarea rows="2" /><br/><p>Tea from four mountains.</p></body></html>`
  t.equal(readPage(page, URL).content, '# House\n\nOpen daily.\n\nTea from four mountains.')
})
