"""python3 contrast.py TOKENS START.npy OUT.npy: word vectors whose sum brings the two texts of a pair together and keeps others apart.

Symmetric InfoNCE within a batch (van den Oord 2018), with its gradient written out. A text is the weighted sum of its words' vectors, scaled
to length 1. In a part of the batch, the passage lacks the words that its short text has, so that equal words alone are not enough. A word's
vector is its start vector times a matrix that all words share, plus a difference of its own. So words that no pair has move with the others.
"""
import sys
import time
import numpy as np
import scipy.sparse as sp
from pairs import Pairs

BATCH = 2048
EPOCHS = 4
RATE = 0.003
WEIGHT_RATE = 0.012
MATRIX_RATE = 0.002
TEMPERATURE = 0.05
MASKED = 0.2
# Share of batches from a single source. Their pairs have similar subjects, so the model has to learn finer differences.
SINGLE_SOURCE = 0.5
SEED = 1


class Adam:
    """Adam (Kingma and Ba 2015) over the rows that a batch touches."""

    def __init__(self, values):
        self.values, self.mean, self.square = values, np.zeros_like(values), np.zeros_like(values)

    def step(self, rows, gradient, rate, time):
        mean = 0.9 * self.mean[rows] + 0.1 * gradient
        square = 0.99 * self.square[rows] + 0.01 * gradient * gradient
        self.mean[rows], self.square[rows] = mean, square
        self.values[rows] -= rate * (mean / (1 - 0.9**time)) / (np.sqrt(square / (1 - 0.99**time)) + 1e-8)


class Batches:
    def __init__(self, pairs, random):
        self.random, self.all, self.at = random, random.permutation(pairs.usable), 0
        source = pairs.source[pairs.usable]
        self.sources = [pairs.usable[source == one] for one in np.unique(source)]
        self.chances = np.array([len(one) for one in self.sources]) / len(pairs.usable)

    def next(self):
        if self.random.rand() < SINGLE_SOURCE:
            source = self.sources[self.random.choice(len(self.sources), p=self.chances)]
            return self.random.choice(source, min(BATCH, len(source)), replace=False)
        if self.at + BATCH > len(self.all):
            self.all, self.at = self.random.permutation(self.all), 0
        self.at += BATCH
        return self.all[self.at - BATCH : self.at]


def train(pairs, start):
    random = np.random.RandomState(SEED)
    # A phrase starts as the sum of its words: its own vector is zero.
    given = np.zeros((pairs.size, start.shape[1]), np.float32)
    given[: len(start)] = start
    own = np.zeros_like(given)
    matrix = np.eye(start.shape[1], dtype=np.float32)
    share = pairs.frequencies / pairs.frequencies[: len(pairs.words)].sum()
    weights = np.log(1e-3 / (1e-3 + share) + 0.02).astype(np.float32)
    weights[len(pairs.words) :] = 0
    learn_own, learn_weights, learn_matrix = Adam(own), Adam(weights), Adam(matrix)
    whole = np.arange(len(matrix))
    batches, began, average = Batches(pairs, random), time.time(), None
    steps = EPOCHS * len(pairs.usable) // BATCH
    for step in range(1, steps + 1):
        batch = batches.next()
        masked = random.rand(len(batch)) < MASKED
        batch = np.concatenate([batch[~masked], batch[masked]])
        plain = (~masked).sum()
        counts = sp.vstack([pairs.short[batch], pairs.passage[batch[:plain]], pairs.masked[batch[plain:]]]).tocsr()
        rows, column = np.unique(counts.indices, return_inverse=True)
        counts = sp.csr_matrix((counts.data, column.astype(np.int32), counts.indptr), shape=(2 * len(batch), len(rows)))
        weight = np.exp(weights[rows])[:, None]
        vectors = given[rows] @ matrix + own[rows]
        sums = counts @ (vectors * weight)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True).clip(1e-6)
        texts = sums / lengths
        loss, gradient = info_nce(texts, alike(pairs, batch))
        gradient = (gradient - texts * (texts * gradient).sum(1, keepdims=True)) / lengths
        gradient = (counts.T.tocsr() @ gradient) * weight
        left = 1 - (step - 1) / steps
        learn_weights.step(rows, (gradient * vectors).sum(1), WEIGHT_RATE * left, step)
        learn_matrix.step(whole, given[rows].T @ gradient, MATRIX_RATE * left, step)
        learn_own.step(rows, gradient, RATE * left, step)
        average = loss if average is None else 0.98 * average + 0.02 * loss
        if step % 100 == 0:
            print(f'{step} of {steps}, loss {average:.3f}, {time.time() - began:.0f} s', flush=True)
    return (given @ matrix + own) * np.exp(weights)[:, None]


def alike(pairs, batch):
    """Returns which pairs are no counterexamples of each other."""
    group, twin = pairs.group[batch], pairs.twin[batch]
    same = (group[:, None] == group) | (twin[:, None] == twin)
    np.fill_diagonal(same, False)
    return same


def info_nce(texts, same):
    """Returns the loss and its gradient. `texts` has the short texts, then their passages, all of length 1."""
    count = len(texts) // 2
    short, passages = texts[:count], texts[count:]
    scores = short @ passages.T / TEMPERATURE
    scores[same] = -1e4
    right = scores.diagonal().copy()
    # No score is above 1 / TEMPERATURE, so one exponential serves rows and columns.
    powers = np.exp(scores - 1 / TEMPERATURE)
    by_row, by_column = powers.sum(1).clip(1e-30), powers.sum(0).clip(1e-30)
    loss = 0.5 * ((np.log(by_row) + np.log(by_column)).mean() + 2 / TEMPERATURE - 2 * right.mean())
    powers *= (1 / by_row)[:, None] + 1 / by_column
    powers[np.arange(count), np.arange(count)] -= 2
    powers *= 0.5 / count / TEMPERATURE
    return loss, np.concatenate([powers @ passages, powers.T @ short])


if __name__ == '__main__':
    tokens, start, out = sys.argv[1:]
    np.save(out, train(Pairs(tokens), np.load(start)))
