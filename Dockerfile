# The image of web, workers, scheduler and the one-shot preparation; docker-compose.yml says who runs what.
#
#   docker build .                       lean: runs the default models, which are made ready here and not at the start
#   docker build --target any-model .    the same with PyTorch and sentence-transformers, for other models
#
# PyPI's PyTorch for Linux brings CUDA along, some 3 GB that Lectern does not use. `--build-arg TORCH_INDEX=…` names the
# index of PyTorch's CPU wheels (docs/operations.md).

FROM python:3.12-slim AS base
ENV PATH=/opt/lectern/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OMP_NUM_THREADS=1 \
    LECTERN_DATA=/data
WORKDIR /app

# Dependencies first: they change less often than the code and take most of the time.
FROM base AS lean-libraries
COPY pyproject.toml ./
COPY operations/requirements.py operations/
RUN python -m venv --without-pip /opt/lectern \
    && python operations/requirements.py lean > lean.txt \
    && pip --python /opt/lectern/bin/python install --no-cache-dir -r lean.txt

FROM lean-libraries AS all-libraries
ARG TORCH_INDEX=
RUN python operations/requirements.py any-model > any-model.txt \
    && pip --python /opt/lectern/bin/python install --no-cache-dir ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -r any-model.txt

# Text and engines are all that the conversion needs: other changes do not repeat it.
FROM lean-libraries AS converter
RUN python operations/requirements.py converter > converter.txt \
    && pip --python /opt/lectern/bin/python install --no-cache-dir -r converter.txt
COPY text text
COPY engines engines
RUN python -m engines.embedding.prepare

# Each version has its own static files, in the image. config/settings.py finds the folder.
FROM lean-libraries AS collected
COPY . .
RUN mkdir collected && python manage.py collectstatic --no-input --verbosity 0

FROM base AS application
COPY . .
COPY --from=converter /app/engines/embedding/prepared engines/embedding/prepared
COPY --from=collected /app/collected collected
# Else each process compiles them anew, and each document is read in one. By hash: copying may change the times of files.
RUN python -m compileall -q --invalidation-mode unchecked-hash .

FROM base AS system
# Recognises text in scans. Other languages: tesseract-ocr-ita, tesseract-ocr-tur, …
RUN apt-get update && apt-get install -y --no-install-recommends \
        tesseract-ocr tesseract-ocr-deu tesseract-ocr-fra tesseract-ocr-spa \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin lectern \
    && install --directory --owner lectern --mode 0750 /data
USER lectern
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--http", "config.protocol:LimitedProtocol", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--timeout-worker-healthcheck", "60"]

FROM system AS any-model
COPY --from=all-libraries /opt/lectern /opt/lectern
COPY --from=application /app /app

FROM system AS lean
COPY --from=lean-libraries /opt/lectern /opt/lectern
COPY --from=application /app /app
