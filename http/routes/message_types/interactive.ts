/** `buttons`, `list`, `cta_url`, `catalog`, `carousel`, `flow`. */
import * as v from 'valibot'
import { across, dictionary, fieldsOf, itemsOf, named, parseUrl } from '../../../actors/mod.ts'
import { lowerOwnId } from '../../server/schema/fields.ts'
import { areDistinct, bodyText, footerText, httpUrl, mediaId, oneFile, text } from './bounds.ts'

const footer_text = v.optional(footerText)
const file = { link: v.optional(httpUrl), media_id: v.optional(mediaId) }

const header = named(
  'ButtonsHeader',
  v.variant('type', [
    v.strictObject({ type: v.literal('text'), text: text(60) }),
    ...(['image', 'video', 'document'] as const).map((type) =>
      v.pipe(v.strictObject({ type: v.literal(type), ...file }), oneFile()),
    ),
  ]),
)

const buttons = v.strictObject({
  type: v.literal('buttons'),
  body_text: bodyText,
  buttons: v.pipe(
    v.array(v.strictObject({ id: text(256), title: text(20) })),
    v.minLength(1),
    v.maxLength(3),
    across((buttons, say) => {
      if (!areDistinct(itemsOf(buttons))) say('must not name the same id twice')
    }),
  ),
  header: v.optional(header),
  footer_text,
})

/** Maximum rows in all sections together. */
const MAX_ROWS = 10
const MAX_ROWS_OF_A_SECTION = 100

const section = v.strictObject({
  title: v.optional(text(24)),
  rows: v.pipe(
    v.array(v.strictObject({ id: text(200), title: text(24), description: v.optional(text(72)) })),
    v.minLength(1),
    v.maxLength(MAX_ROWS_OF_A_SECTION),
  ),
})

const list = v.strictObject({
  type: v.literal('list'),
  body_text: bodyText,
  button_text: text(20),
  sections: v.pipe(
    v.array(section),
    v.minLength(1),
    v.maxLength(10),
    across((value, say) => {
      const sections = itemsOf(value).map(fieldsOf)
      // One more row than a section may have is enough to know that there are too many.
      const rows = sections.flatMap(({ rows }) => itemsOf(rows).slice(0, MAX_ROWS_OF_A_SECTION + 1))
      if (rows.length > MAX_ROWS) say(`must have at most ${MAX_ROWS} rows in all sections together`)
      if (sections.length > 1 && sections.some(({ title }) => title === undefined)) {
        say('must each have a title when there are several')
      }
      if (!areDistinct(rows)) say('must not name the same id twice')
    }),
  ),
  footer_text,
})

const ctaUrl = v.strictObject({
  type: v.literal('cta_url'),
  body_text: bodyText,
  display_text: text(20),
  url: httpUrl,
  footer_text,
})

const catalog = v.strictObject({
  type: v.literal('catalog'),
  body_text: bodyText,
  thumbnail_product_retailer_id: v.optional(text(256)),
  footer_text,
})

/** True for WebP images, which WhatsApp refuses in a carousel. */
function isWebp(link: string): boolean {
  return /\.webp$/i.test(parseUrl(link)?.pathname ?? '')
}

const card = v.strictObject({
  header: v.pipe(
    v.strictObject({
      type: v.picklist(['image', 'video'], 'must be image or video'),
      link: v.optional(
        v.pipe(
          httpUrl,
          v.check((link) => !isWebp(link), 'must not be a .webp image; use JPEG or PNG'),
        ),
      ),
      media_id: v.optional(mediaId),
    }),
    oneFile(),
  ),
  body_text: v.optional(text(160)),
  action: v.strictObject({ display_text: text(20), url: httpUrl }),
})

const two = v.minLength<v.InferOutput<typeof card>[], 2>(2)

/** Reported even when the cards themselves are invalid. */
const atLeastTwo: typeof two = {
  ...two,
  '~run': (dataset, config) => {
    if (itemsOf(dataset.value).length < 2) v._addIssue(two, 'length', dataset, config)
    return dataset as ReturnType<(typeof two)['~run']>
  },
}

const carousel = v.strictObject({
  type: v.literal('carousel'),
  body_text: bodyText,
  cards: v.pipe(v.array(card), atLeastTwo, v.maxLength(10)),
})

const flow = v.strictObject({
  type: v.literal('flow'),
  flow_id: v.pipe(text(64), lowerOwnId),
  flow_token: v.optional(text(512)),
  flow_cta: text(30),
  body_text: bodyText,
  header_text: v.optional(text(60)),
  footer_text,
  flow_action: v.optional(v.picklist(['navigate', 'data_exchange'])),
  flow_action_payload: v.optional(
    v.strictObject({ screen: v.optional(text(256)), data: v.optional(dictionary(v.unknown())) }),
  ),
})

export const interactiveTypes = [buttons, list, ctaUrl, catalog, carousel, flow]
