"""Formats that are not read: why, and the lines that make a file which is."""

from __future__ import annotations

THERE = "load it where it was written, and write from there"
CSV, R_CSV = ".to_csv('predictions.csv', index=False)", "write.csv(x, 'predictions.csv', row.names = FALSE)"
ARRAYS = "np.savez('predictions.npz', probs={}, labels={})"
PICKLE = "a pickle runs code when it is loaded, so calibviz never opens one"
TORCH = "the pickle in a file of PyTorch may run code when it is loaded, so calibviz never opens one"
OF_R = "a file of R may hold code, so calibviz never opens one"
NOT_YET = "calibviz does not read this format"

#: Endings, why files with these are not read, and the lines that make another file.
NOT_READ: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (".pkl", ".pickle", ".joblib", ".dill", ".p"),
        (
            PICKLE, THERE,
            f"df{CSV}    # a table",
            f"{ARRAYS.format('probs', 'labels')}    # arrays",
            "cv.Predictions.from_estimator(model, X, y)    # a fitted model",
        ),
    ),
    (
        (".pt", ".pth", ".bin", ".ckpt"),
        (
            TORCH, THERE,
            "d = torch.load(file, map_location='cpu', weights_only=True)",
            "np.savez('predictions.npz', logits=d['logits'].float().numpy(), labels=d['labels'].numpy())",
        ),
    ),
    ((".rds",), (OF_R, "write it from R as text", "x <- readRDS('frame.rds')", R_CSV)),
    ((".rda", ".rdata"), (OF_R, "write it from R as text", "load('frame.RData')    # which makes x, say", R_CSV)),
    ((".mat",), (NOT_YET, "d = scipy.io.loadmat(file)", ARRAYS.format("d['probs']", "d['labels'].ravel()"))),
    (
        (".h5", ".hdf5", ".hdf"),
        (
            NOT_YET,
            "f = h5py.File(file); " + ARRAYS.format("f['probs'][:]", "f['labels'][:]") + "    # arrays",
            f"pd.read_hdf(file){CSV}    # a table of pandas",
        ),
    ),
    ((".orc",), (NOT_YET, f"pd.read_orc(file){CSV}")),
    ((".arff",), (NOT_YET, f"pd.DataFrame(scipy.io.arff.loadarff(file)[0]){CSV}")),
    ((".avro",), (NOT_YET, "pl.read_avro(file).write_csv('predictions.csv')")),
    ((".xml",), (NOT_YET, f"pd.read_xml(file){CSV}")),
    ((".html", ".htm"), (NOT_YET, f"pd.read_html(file)[0]{CSV}")),
    ((".yaml", ".yml"), (NOT_YET, f"pd.DataFrame(yaml.safe_load(open(file))){CSV}")),
    ((".zip", ".bz2", ".xz", ".zst"), ("calibviz unpacks .gz alone", f"pd.read_csv(file){CSV}    # of one text")),
    (
        (".db", ".sqlite", ".sqlite3"),
        (NOT_YET, f"pd.read_sql('select * from predictions', sqlite3.connect(file)){CSV}"),
    ),
)  # fmt: skip  # a line for each line
REFUSED = {ending: lines for endings, lines in NOT_READ for ending in endings}


def refusal(ending: str) -> str | None:
    """Why files of an ending are not read, with lines that make one which is; None of other endings."""
    if ending not in REFUSED:
        return None
    why, *lines = REFUSED[ending]
    return "\n".join([f"{why}; this makes a file that is read:", *(f"  {line}" for line in lines)])
