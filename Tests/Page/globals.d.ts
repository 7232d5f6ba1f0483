// What the page finds in the browser besides the standard names. Debian's libraries come without types.
declare const L: any;
interface Window {
  L?: any;
  Dygraph?: any;
  qrcode?: any;
}
