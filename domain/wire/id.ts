const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** A fresh datagram or boot id: 21 characters of a-z A-Z 0-9. `random` gives 0 <= x < 1; the ids are unique, not secret. */
export function newId(random: () => number): string {
  let id = '';
  for (let i = 0; i < 21; i++) id += alphabet.charAt(Math.floor(random() * alphabet.length));
  return id;
}
