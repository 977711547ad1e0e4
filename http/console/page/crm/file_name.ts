/** Names of files that strangers sent: their systems, or they themselves, chose them. */

/**
 * Endings of files that Windows, macOS or Linux run, mount or install when they are opened, or that a browser runs as a
 * page of this machine: those that mail services refuse, and their relatives.
 */
const RUN = new Set(
  (
    'ade adp apk app appimage appref-ms appx appxbundle asp aspx bas bash bat bgi bin cab cer chm cmd cnt com command ' +
    'cpl crt csh deb der deskthemepack desktop diagcab diagcfg diagpack dll dmg ex ex_ exe fileloc fxp gadget hlp hpj ' +
    'hta htc htm html img inetloc inf ins ipa iqy iso isp jar jnlp js jse ksh lib library-ms lnk mad maf mam maq mar ' +
    'mas mat mau mav maw mcf mda mdb mde mdt mdw mdz mht mhtml mjs mobileconfig mpkg msc msh msh1 msh2 mshxml msi ' +
    'msix msixbundle msp mst msu nsh ops osd oxt pcd pif pkg pl plg prf prg printerexport ps1 ps1xml ps2 psc1 psc2 ' +
    'psd1 psm1 py pyc pyw pyz rdp reg rpm run scf scpt scr sct search-ms searchconnector-ms service settingcontent-ms ' +
    'sh shb shs shtml slk svg svgz swf sys terminal theme themepack tool udl url vb vbe vbp vbs vhd vhdx vsix ' +
    'vsmacros vsto vsw vxd webloc webpnp website workflow ws wsb wsc wsf wsh xbap xht xhtml xll xml xnk xsl xslt zsh'
  ).split(' '),
)

/** Names that are devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** The name as it is shown: without signs that change the order of the text, which show `txt.exe` as `exe.txt`. */
export function shownName(name: unknown) {
  return typeof name === 'string' ? name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() : ''
}

/**
 * The name under which a browser saves the file. A file that would run is saved with one ending more, so that nobody runs it
 * by opening it; whoever means it renames it.
 */
export function savedName(name: unknown) {
  const last = shownName(name).split(/[/\\]/).at(-1) ?? ''
  // Windows leaves out dots and spaces at the end, and what follows a colon.
  const plain = last.replaceAll(':', '_').replace(/^[. ]+/, '')
  let end = plain.length
  while (end > 0 && (plain[end - 1] === '.' || plain[end - 1] === ' ')) end--
  const whole = plain.slice(0, end)
  const safe = DEVICE.test(whole) ? `_${whole}` : whole
  const at = safe.lastIndexOf('.')
  return at >= 0 && RUN.has(safe.slice(at + 1).toLowerCase()) ? `${safe}.unsafe` : safe
}
