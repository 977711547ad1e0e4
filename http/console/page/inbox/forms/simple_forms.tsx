/** The forms of messages with a few fields: a place, a link, the catalog. */
import { useState } from 'preact/hooks'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { omitEmpty, problemOf, TextInput } from './inputs.tsx'
import { placeIn } from './place_in.ts'

const BODY = 1024
const FOOTER = 60
const TITLE = 20
const PLACE = 1000

function useFields<Fields extends Record<string, string>>(
  first: Fields,
): [Fields, (name: keyof Fields) => (value: string) => void] {
  const [fields, setFields] = useState(first)
  return [fields, (name) => (value) => setFields((before) => ({ ...before, [name]: value }))]
}

export function LocationForm(props: FormProps) {
  const [{ place, name, address }, set] = useFields({ place: '', name: '', address: '' })
  const found = placeIn(place)
  const message = {
    type: 'location',
    ...(found ?? { latitude: 0, longitude: 0 }),
    name: omitEmpty(name),
    address: omitEmpty(address),
  }
  const here = () =>
    navigator.geolocation.getCurrentPosition(({ coords }) => set('place')(`${coords.latitude}, ${coords.longitude}`))
  const is_complete = found !== undefined && [...name].length <= PLACE && [...address].length <= PLACE
  return (
    <FormDialog {...props} title="Location" message={message} is_complete={is_complete}>
      {(is_tried) => (
        <>
          <TextInput
            label="Place"
            value={place}
            onChange={set('place')}
            placeholder="19.4326, -99.1332"
            hint="Latitude and longitude, or a link of Google Maps or OpenStreetMap."
            error={is_tried && !found ? 'Write latitude and longitude, or paste a link that has them.' : undefined}
          />
          {navigator.geolocation && (
            <button type="button" class="link" onClick={here}>
              Use my location
            </button>
          )}
          <TextInput label="Name" value={name} onChange={set('name')} most={PLACE} placeholder="Our shop" />
          <TextInput label="Address" value={address} onChange={set('address')} most={PLACE} />
        </>
      )}
    </FormDialog>
  )
}

export function LinkForm(props: FormProps) {
  const [{ body_text, display_text, url, footer_text }, set] = useFields({
    body_text: '',
    display_text: '',
    url: '',
    footer_text: '',
  })
  const message = { type: 'cta_url', body_text, display_text, url: url.trim(), footer_text: omitEmpty(footer_text) }
  const is_link = /^https?:\/\/\S+$/.test(url.trim()) && URL.canParse(url.trim())
  const problems = [
    problemOf(body_text, BODY),
    problemOf(display_text, TITLE),
    !is_link,
    [...footer_text].length > FOOTER,
  ]
  return (
    <FormDialog {...props} title="Link button" message={message} is_complete={!problems.some(Boolean)}>
      {(is_tried) => (
        <>
          <TextInput
            label="Text"
            value={body_text}
            onChange={set('body_text')}
            most={BODY}
            lines={3}
            error={is_tried ? problemOf(body_text, BODY) : undefined}
          />
          <TextInput
            label="Button"
            value={display_text}
            onChange={set('display_text')}
            most={TITLE}
            placeholder="Track the order"
            error={is_tried ? problemOf(display_text, TITLE) : undefined}
          />
          <TextInput
            label="Address"
            type="url"
            value={url}
            onChange={set('url')}
            placeholder="https://"
            error={is_tried && !is_link ? 'Write an address that begins with https://.' : undefined}
          />
          <TextInput label="Footer" value={footer_text} onChange={set('footer_text')} most={FOOTER} />
        </>
      )}
    </FormDialog>
  )
}

export function CatalogForm(props: FormProps) {
  const [{ body_text, product, footer_text }, set] = useFields({ body_text: '', product: '', footer_text: '' })
  const message = {
    type: 'catalog',
    body_text,
    thumbnail_product_retailer_id: omitEmpty(product),
    footer_text: omitEmpty(footer_text),
  }
  const is_complete = !problemOf(body_text, BODY) && [...footer_text].length <= FOOTER && [...product].length <= 256
  return (
    <FormDialog {...props} title="Catalog" message={message} is_complete={is_complete}>
      {(is_tried) => (
        <>
          <TextInput
            label="Text"
            value={body_text}
            onChange={set('body_text')}
            most={BODY}
            lines={3}
            error={is_tried ? problemOf(body_text, BODY) : undefined}
          />
          <TextInput
            label="Product of the picture"
            value={product}
            onChange={set('product')}
            most={256}
            hint="Its id in the catalog. Without one, WhatsApp chooses."
          />
          <TextInput label="Footer" value={footer_text} onChange={set('footer_text')} most={FOOTER} />
        </>
      )}
    </FormDialog>
  )
}
