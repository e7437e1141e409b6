// Free seats as a field of a step, and what was chosen of them.

let free = [];

export function followSeats(desk) {
  free = desk.tables
    .filter((table) => !table.broken)
    .flatMap((table) => table.seats.filter((seat) => !table.players.some((one) => one.seat === seat)).map((seat) => [`${table.table} ${seat}`, `${table.table}, seat ${seat}`]));
}

// `first`: choices before the seats.
export function seatField(words, first = []) {
  return { name: "place", words, kind: "select", options: [...first, ...free] };
}

// `T 1 5`: a table's name may have blanks, the seat is what comes after the last one.
export function placeRead(text) {
  const cut = text.lastIndexOf(" ");
  return { table: text.slice(0, cut), seat: Number(text.slice(cut + 1)) };
}
