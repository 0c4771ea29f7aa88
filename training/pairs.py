"""Reads the output of tokens.ts into numpy and scipy."""
import json
import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components


class Pairs:
    """`short`, `passage` and `masked` have a row for each pair, a column for each word or phrase, and its count. `masked` is the passage without the words of its short text."""

    def __init__(self, name):
        with open(name + '.json') as file:
            header = json.load(file)
        self.words, self.phrases = header['words'], header['phrases']
        self.frequencies = np.array(header['frequencies'] + [count for _, _, count in self.phrases], float)
        self.ids = np.fromfile(name + '.ids', np.int32)
        rows = np.fromfile(name + '.rows', np.int32).reshape(-1, 5)
        self.source, kind, self.bounds = rows[:, 0], rows[:, 1], rows[:, 2:]
        self.size = len(self.words) + len(self.phrases)
        self._count(np.array(header['stems'] + [-1], np.int64))
        self._find_alike(kind == header['kinds'].index('intent') if 'intent' in header['kinds'] else np.zeros(len(rows), bool))

    def texts(self):
        """Yields every text as the numbers of its words."""
        for begin, middle, end in self.bounds.tolist():
            yield self.ids[begin:middle]
            yield self.ids[middle:end]

    def _count(self, stems):
        ids, count = self.ids, len(self.bounds)
        lengths = np.diff(self.bounds, axis=1).ravel()
        text = np.repeat(np.arange(2 * count, dtype=np.int32), lengths)
        is_short, pair = text % 2 == 0, text // 2
        # Marks the stems that the pair's short text has too. An unknown word, -1, takes the last place.
        key = pair.astype(np.int64) * (stems.max() + 2) + stems[ids] + 1
        shared = np.zeros(len(ids), bool)
        shared[~is_short] = np.isin(key[~is_short], np.unique(key[is_short & (ids >= 0)]))
        phrase = phrases_at(ids, self.phrases, len(self.words))
        phrase[np.flatnonzero(np.diff(text)) + 1] = -1
        after_shared = shared.copy()
        after_shared[1:] |= shared[:-1]

        def counts(wanted, without=None):
            single, double = (ids >= 0) & wanted, (phrase >= 0) & wanted
            if without is not None:
                single, double = single & ~without[0], double & ~without[1]
            return counted(np.concatenate([ids[single], phrase[double]]), np.concatenate([pair[single], pair[double]]), count, self.size)

        self.short, self.passage = counts(is_short), counts(~is_short)
        self.masked = counts(~is_short, (shared, after_shared))
        self.usable = np.flatnonzero((self.short.getnnz(1) > 0) & (self.passage.getnnz(1) > 0))

    def _find_alike(self, is_intent):
        """Finds pairs that are no counterexamples of each other: `group` for the same short text or intent, `twin` for the same passage."""
        known = {}
        number = lambda begin, end: known.setdefault(self.ids[begin:end].tobytes(), len(known))
        short = np.array([number(begin, middle) for begin, middle, _ in self.bounds.tolist()])
        self.twin = np.array([number(middle, end) for _, middle, end in self.bounds.tolist()])
        links = sp.coo_matrix((np.ones(is_intent.sum()), (short[is_intent], self.twin[is_intent])), shape=(len(known), len(known)))
        intent = connected_components(links, directed=False)[1]
        self.group = np.where(is_intent, intent[short], len(known) + short)


def counted(words, texts, count, size):
    matrix = sp.csr_matrix((np.ones(len(words), np.float32), (texts, words)), shape=(count, size))
    matrix.sum_duplicates()
    return matrix


def phrases_at(ids, phrases, first):
    """Returns the phrase that ends at each place, or -1. Phrases are numbered from `first`."""
    found = np.full(len(ids), -1, np.int64)
    if len(phrases) == 0 or len(ids) < 2:
        return found
    keys = np.array([a * 65536 + b for a, b, _ in phrases], np.int64)
    order = np.argsort(keys)
    pairs = np.where((ids[:-1] >= 0) & (ids[1:] >= 0), ids[:-1].astype(np.int64) * 65536 + ids[1:], -1)
    at = np.minimum(np.searchsorted(keys[order], pairs), len(keys) - 1)
    found[1:] = np.where(keys[order][at] == pairs, first + order[at], -1)
    return found
