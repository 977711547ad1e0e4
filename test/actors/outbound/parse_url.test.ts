/** A URL is parsed in linear time, and one with a host that no name server knows is none. */
import t from 'tap'
import { isUrl, parseUrl } from '../../../actors/mod.ts'

const marks = 'a\u0301\u0323'.repeat(100)

t.test('URLs in use are parsed as ever', async (t) => {
  for (const url of [
    'https://example.com',
    'https://user:pass%20word@example.com:8443/a?b=c#d',
    'https://bücher.example/ü'.concat('ü'.repeat(5000)),
    'https://例え。テスト/パス?q=値',
    'https://b%C3%BCcher.example/',
    'http://[::1]:80/',
    'HTTP://EXAMPLE.COM/%20',
    `https://${'a'.repeat(300)}.example/`,
    `https://example.com/@${marks}`,
    `https://example.com?${marks}`,
    `https://example.com#${marks}`,
    `data:text/plain,${marks.slice(0, 50)}`,
  ]) {
    t.equal(parseUrl(url)?.href, new URL(url).href, url.slice(0, 60))
    t.equal(isUrl(url), true)
  }
  t.equal(parseUrl('../b', 'https://example.com/a/c')?.href, 'https://example.com/b')
  t.equal(parseUrl('//other.example/x', 'https://example.com/')?.href, 'https://other.example/x')
})

t.test('a host that is too long for a name is none, however it is written', async (t) => {
  const long = [marks, '例'.repeat(64), 'ü.'.repeat(127), '%C3%BC'.repeat(50)]
  for (const host of long) {
    for (const url of [
      `https://${host}.com/`,
      `https://user:secret@${host}.com`,
      `https:\\\\${host}.com`,
      `https:${host}.com`,
      `https:///${host}.com`,
      `ht\ntps://${host}.com`,
      ` https:/\t/${host}.com`,
      `//${host}.com`,
    ])
      t.equal(parseUrl(url, 'https://example.com'), null, JSON.stringify(url.slice(0, 40)))
    t.equal(isUrl(`https://${host}.com/`), false)
  }
})

t.test('what is no URL is none', async (t) => {
  for (const text of ['', 'x', 'https://', 'https://a b/', '://', '@']) t.equal(isUrl(text), false, text)
})
